"""The HTML page of a match: what is in it, and what a reader can do with it in a real browser."""

import json
import re
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from chromium import Chromium, find
from made_up import BLACK_WINS, OPENING, game, header, series
from markup import Parts, loads_nothing

from shisan.engine import Rules
from shisan.protocol.journal import Event, Game, Header, Offence
from shisan.protocol.reports import html

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = '"\'><img src=x onerror="window.hacked = 2">'
ENDING = "</script><script>window.hacked = 3</script><!--"
NAMES = ("shisan 0.1", SCRIPT, IMAGE, ENDING)
TEST = {"elo0": 0, "elo1": 30, "alpha": 0.05, "beta": 0.05, "model": "logistic"}
ROW: tuple[tuple[int, int], ...] = ((3, 3), (10, 10), (4, 3), (9, 10), (5, 3))


def some_match() -> tuple[Header, list[Game]]:
    """Four players with names that would like to run; games of every kind."""
    scores = [None, None, 10, -20, 300, -400, 2000, -29998, 29999]
    games = [
        game(1, 0, 1, "1-0", scores=scores, nodes=[1000 * n for n in range(9)], detail=ENDING),
        game(2, 1, 0, "0-1", "time", opening=3, detail="no answer within 5 s"),
        game(3, 0, 2, "0-1", "forbidden move", moves=ROW),
        game(4, 2, 0, "1/2", "agreed draw", moves=ROW[:4]),
        game(5, 1, 2, "1-0", "illegal move", moves=OPENING, opening=3, detail=IMAGE),
        game(6, 2, 1, "1-0", "crash", moves=(), events=[Event(0, 1, "time", "31 s")]),
        replace(game(7, 0, 3, "1-0"), offences=(Offence(3, SCRIPT, "Piskvork: loses the game"),)),
        game(8, 3, 0, "1/2", "aborted", moves=OPENING, opening=3),
    ]
    return header(NAMES, {"turn_ms": 5000, "sprt": TEST, "note": SCRIPT}), games


# --- without a browser --------------------------------------------------------------------------


def test_page_is_whole_and_loads_nothing() -> None:
    parts = Parts(html(*some_match()))
    loads_nothing(parts)
    for name in NAMES:
        assert name in parts.text


def test_page_lets_no_script_run_but_its_own() -> None:
    text = html(*some_match())
    parts = Parts(text)
    data, script = parts.scripts
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    known = json.loads(data)
    assert known["players"] == list(NAMES) and len(known["games"]) == 8
    assert "<" not in data


def test_same_match_same_page() -> None:
    match, games = some_match()
    assert html(match, games) == html(match, games[::-1])


def test_numbers_of_the_page() -> None:
    text = Parts(html(*some_match())).text
    assert "7games" in text, "the aborted one is not counted"
    assert "64.3 %of points for Black" in text
    for fault in ("2time-outs", "1illegal moves", "1crashes"):
        assert fault in text
    assert "SPRT of 30 against 0 Elo (logistic)" in text
    assert "drawn" in text and "Running Elo, from 1,200" in text


def test_large_match_stays_small() -> None:
    """Some hundred bytes a game."""
    match = header(["a", "b"])
    games = series([(0, 1, [1.0, 0.0] * 500)])
    assert len(html(match, games)) < 60_000 + 250 * len(games)


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    program = find()
    if program is None:
        pytest.skip("no chromium on the PATH: apt-get install chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        started = Chromium(program, Path(folder))
        yield started
        started.close()


@pytest.fixture
def page(browser: Chromium, tmp_path: Path) -> Iterator[Chromium]:
    """A browser showing the page of some_match, which must not complain or load anything."""
    browser.resize(1280, 900)
    browser.dark(False)
    show(browser, tmp_path, *some_match())
    yield browser
    assert browser.logs == []
    assert [one for one in browser.requests if one.partition("#")[0] != address(tmp_path)] == []
    assert browser.value("window.hacked") is None


def address(folder: Path) -> str:
    return (folder / "report.html").as_uri()


def show(browser: Chromium, folder: Path, match: Header, games: list[Game]) -> None:
    (folder / "report.html").write_text(html(match, games), encoding="utf-8")
    browser.logs.clear()
    browser.requests.clear()
    browser.open(address(folder))


def board(page: Chromium) -> list[tuple[int, int]]:
    """The points with stones, in the order in which they were drawn."""
    drawn = page.value(
        "[...document.querySelectorAll('#stones .stone')].map((stone) =>"
        " [stone.getAttribute('cx'), stone.getAttribute('cy'), stone.classList.contains('white')])"
    )
    assert [white for _, _, white in drawn] == [at % 2 == 1 for at in range(len(drawn))]
    return [((int(x) - 48) // 40, (int(y) - 48) // 40) for x, y, _ in drawn]


def count(page: Chromium, selector: str) -> int:
    return int(page.value(f"document.querySelectorAll({json.dumps(selector)}).length"))


def words(page: Chromium, selector: str) -> str:
    return str(page.value(f"document.querySelector({json.dumps(selector)}).textContent"))


def choose(page: Chromium, name: str, value: str) -> str:
    """Set a filter; what the list then says it shows."""
    page.value(
        f"(() => {{ const e = document.getElementById('by-{name}'); e.value = {json.dumps(value)};"
        " e.dispatchEvent(new Event('input')); })()"
    )
    return words(page, "#count")


def listed(page: Chromium) -> list[int]:
    numbers: list[str] = page.value(
        "[...document.querySelectorAll('#list .game')].map((e) => e.dataset.number)"
    )
    return [int(number) for number in numbers]


def test_every_game_can_be_replayed(page: Chromium) -> None:
    """Each game at its end and at every move shows just the journal's stones."""
    _, games = some_match()
    assert listed(page) == [game.number for game in games]
    for each in games:
        page.click(f'[data-number="{each.number}"]')
        assert board(page) == list(each.moves)
        page.click("#first")
        assert board(page) == []
        for ply in range(1, len(each.moves) + 1):
            page.click("#forward")
            assert board(page) == list(each.moves[:ply])
        assert words(page, "#versus").startswith(f"Game {each.number}: ")
        assert each.detail in words(page, "#outcome")


def test_marks_of_the_last_position(page: Chromium) -> None:
    """The line that won, in green; the stone that lost, crossed out; the last stone ringed."""
    page.click('[data-number="1"]')
    assert count(page, "#stones .won") == 1 and count(page, "#stones [stroke='#2e9e4f']") == 6
    page.click("#back")
    assert count(page, "#stones .won") == 0 and count(page, "#stones [stroke='#e0392b']") == 1
    page.click('[data-number="3"]')
    assert count(page, "#stones path") == 1 and count(page, "#stones text") == len(ROW)
    page.click("#numbers")
    assert count(page, "#stones text") == 0


def test_keys(page: Chromium) -> None:
    page.click('[data-number="7"]')
    page.press("ArrowLeft", 2)
    assert board(page) == list(BLACK_WINS[:7])
    page.press("ArrowRight")
    assert board(page) == list(BLACK_WINS[:8])
    page.value("document.getElementById('ply').focus()")
    page.press("Home")  # a slider's own keys
    assert len(board(page)) in (0, 8)
    page.value("document.getElementById('back').focus()")
    page.press("Home")
    assert board(page) == []
    page.press("End")
    assert len(board(page)) == 9
    page.value("document.getElementById('by-text').focus()")
    page.press("ArrowLeft")
    assert len(board(page)) == 9, "arrows in a text field are its own"


def test_slider_plot_and_moves(page: Chromium) -> None:
    page.click('[data-number="1"]')
    page.value(
        "(() => { const e = document.getElementById('ply'); e.value = 4;"
        " e.dispatchEvent(new Event('input')); })()"
    )
    assert len(board(page)) == 4
    page.click("#moves button:nth-child(6)")
    assert len(board(page)) == 6
    assert words(page, "#moves [aria-current]") == "6j9"
    page.click("#scores")  # its middle
    assert len(board(page)) == 5
    assert "5. Black j8" in words(page, "#status") and "score +300" in words(page, "#status")
    page.click("#last")
    assert "wins in 1" in words(page, "#status")
    assert count(page, "#scores path") == 2 and count(page, "#times rect") == 9
    page.click('[data-number="7"]')
    hidden = "document.getElementById('scores').classList.contains('hidden')"
    assert page.value(hidden), "no scores, no plot"


def test_autoplay(page: Chromium) -> None:
    page.click('[data-number="7"]')
    page.value("document.getElementById('speed').value = '120'")
    page.click("#play")
    assert page.value("document.getElementById('play').getAttribute('aria-label')") == "Stop"
    deadline = time.monotonic() + 20
    while len(board(page)) < 9 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(board(page)) == 9
    page.click("#play")
    page.click("#play")  # stopped before it ends
    assert len(board(page)) < 9


def test_filter(page: Chromium) -> None:
    assert words(page, "#count") == "8 games"
    assert choose(page, "player", "1") == "4 of 8 games"
    assert choose(page, "result", "won") == "1 of 8 games" and listed(page) == [5]
    assert choose(page, "result", "lost") == "3 of 8 games"
    assert choose(page, "colour", "1") == "2 of 8 games" and listed(page) == [1, 6]
    assert choose(page, "other", "1") == "0 of 8 games", "nobody meets himself"
    assert count(page, "#none:not(.hidden)") == 1
    choose(page, "other", "")
    assert choose(page, "player", "") == "8 games", "nobody is Black or lost as nobody"
    assert choose(page, "result", "draw") == "2 of 8 games"
    choose(page, "result", "")
    assert choose(page, "reason", "fault") == "3 of 8 games" and listed(page) == [2, 5, 6]
    choose(page, "reason", "")
    assert choose(page, "text", "WITHIN 5") == "1 of 8 games" and listed(page) == [2]
    assert choose(page, "text", "#7") == "1 of 8 games" and listed(page) == [7]


def test_cell_of_the_cross_table_shows_its_games(page: Chromium) -> None:
    page.click('[data-a="0"][data-b="2"]')
    assert listed(page) == [3, 4]
    assert words(page, "#versus").startswith("Game 3: ")
    page.click("#next")
    assert words(page, "#versus").startswith("Game 4: ")
    assert page.value("document.getElementById('next').disabled")


def test_address_names_game_and_move(page: Chromium, tmp_path: Path) -> None:
    page.click('[data-number="7"]')
    page.press("ArrowLeft", 3)
    time.sleep(0.6)
    assert page.value("location.hash") == "#game=7&move=6"
    page.open("about:blank")
    page.open(f"{address(tmp_path)}#game=3&move=2")
    assert board(page) == list(ROW[:2])
    page.open("about:blank")
    page.open(f"{address(tmp_path)}#game=99&move=x")
    assert words(page, "#versus").startswith("Game 1: ")


def test_names_are_text(page: Chromium) -> None:
    """Wherever a name stands, it is there to be read; nothing of it runs."""
    text = page.value("document.body.innerText")
    for name in NAMES:
        assert str(text).count(name) > 2
    assert count(page, "img") == 0
    time.sleep(0.3)


def test_remarks(page: Chromium) -> None:
    """What happened besides the moves, and lines that other managers punish."""
    page.click('[data-number="6"]')
    assert words(page, "#notes") == f"After 0 stones, {SCRIPT}: time: 31 s"
    page.click('[data-number="7"]')
    assert words(page, "#notes") == f"{ENDING} wrote “{SCRIPT}”: Piskvork: loses the game"
    page.click('[data-number="1"]')
    assert count(page, "#remarks.hidden") == 1


def test_light_and_dark(page: Chromium) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.value(ground)
    page.click("#theme")
    dark = page.value(ground)
    assert dark != light
    page.click("#theme")
    assert page.value(ground) == light
    page.value("document.documentElement.removeAttribute('data-theme')")
    page.dark()
    assert page.value(ground) == dark


CONTRAST = """(() => {
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const parts = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const worst = [];
  for (const element of document.querySelectorAll("main *, header *, footer *, nav *")) {
    if (element.closest("svg, option, .hidden, button:disabled, select:disabled")) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!element.checkVisibility()) continue;
    let ground = element;
    while (ground && (parts(getComputedStyle(ground).backgroundColor)[3] ?? 1) === 0) {
      ground = ground.parentElement;
    }
    if (!ground || /color|gradient/.test(getComputedStyle(ground).backgroundColor)) continue;
    const [one, other] = [getComputedStyle(element).color,
      getComputedStyle(ground).backgroundColor].map((colour) => light(parts(colour)));
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) worst.push([ratio, element.className, element.textContent.slice(0, 30)]);
  }
  return worst;
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read(page: Chromium, dark: bool) -> None:
    """Contrast of 4.5 to 1 (WCAG 2, level AA) wherever text stands on a plain ground."""
    page.dark(dark)
    assert page.value(CONTRAST) == []


def test_everything_has_a_name(page: Chromium) -> None:
    """What a screen reader stops at says what it is."""
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    wanted = ("button", "link", "combobox", "searchbox", "slider", "checkbox", "image")
    seen = set()
    for node in nodes:
        role = node.get("role", {}).get("value")
        if role in wanted and not node.get("ignored"):
            seen.add(role)
            assert node.get("name", {}).get("value", "").strip(), node
    assert {"button", "link", "combobox", "searchbox", "slider", "checkbox", "image"} <= seen
    assert page.value("document.documentElement.lang") == "en"


@pytest.mark.parametrize("width", [320, 390, 800, 1600])
def test_no_page_is_wider_than_its_window(page: Chromium, width: int) -> None:
    page.resize(width, 800, phone=width < 600)
    assert page.value("document.documentElement.scrollWidth") <= width
    wide = page.value("document.getElementById('board').getBoundingClientRect().width")
    assert wide >= min(250, 0.7 * width)
    page.click('[data-number="7"]')
    if width < 600:
        top = page.value("document.getElementById('viewer').getBoundingClientRect().top")
        assert abs(top) < 800, "a game opens in sight"


def test_without_scripts(page: Chromium, tmp_path: Path) -> None:
    """The tables are there, and a sentence instead of the list."""
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(address(tmp_path))
        found = page.call("DOM.getDocument", depth=-1)
        text = json.dumps(found)
        assert "need JavaScript" in text and "Cross-table" in text
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
        page.open(address(tmp_path))


def test_many_games_come_in_portions(browser: Chromium, tmp_path: Path) -> None:
    show(browser, tmp_path, header(["a", "b"]), series([(0, 1, [1.0, 0.5, 0.0] * 1000)]))
    assert words(browser, "#count") == "3000 games"
    assert len(listed(browser)) == 200
    browser.click("#more")
    assert len(listed(browser)) == 400
    assert browser.logs == []


@pytest.mark.parametrize("rules", [Rules.renju(5), Rules.freestyle(22), Rules.caro(19, 15)])
def test_other_boards(browser: Chromium, tmp_path: Path, rules: Rules) -> None:
    moves = ((0, 0), (rules.width - 1, rules.height - 1))
    show(browser, tmp_path, header(["a", "b"], rules=rules), [game(1, moves=moves)])
    assert board(browser) == list(moves)
    shape = browser.value("(({width, height}) => width / height)(board.getBoundingClientRect())")
    wanted = ((rules.width - 1) * 40 + 96) / ((rules.height - 1) * 40 + 96)
    assert shape == pytest.approx(wanted, rel=0.01)
    assert browser.logs == []


def test_match_without_games(browser: Chromium, tmp_path: Path) -> None:
    show(browser, tmp_path, header(["a", "b"]), [])
    assert words(browser, "#count") == "0 games" and count(browser, "#viewer.hidden") == 1
    browser.press("ArrowLeft")
    assert browser.logs == []


def test_journal_without_times(browser: Chromium, tmp_path: Path) -> None:
    show(browser, tmp_path, header(["a", "b"]), [replace(game(1), times_ms=())])
    browser.press("ArrowLeft")
    assert len(board(browser)) == 8 and browser.logs == []
