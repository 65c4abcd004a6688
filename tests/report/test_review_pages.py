"""The page of a reviewed game: what is in it, and what a reader can do with it in a browser."""

import json
import re
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chromium import Chromium, find
from markup import Parts, loads_nothing
from played import FEW, FORCED_FOUL, MISSED_FIVE, corners, odd, real, reviewed, tree

from shisan.engine import Rules
from shisan.protocol.notation import read_points
from shisan.protocol.reviewing import review
from shisan.protocol.reviewpages import review_page
from shisan.protocol.reviews import Review

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = '"\'><img src=x onerror="window.hacked = 2">'
ENDING = "</script><script>window.hacked = 3</script><!--"
MOVES = read_points(MISSED_FIVE)


def hostile() -> Review:
    """A review whose game, names and remarks would like to run."""
    found = reviewed(MISSED_FIVE)
    record = replace(
        found.game,
        players=(SCRIPT, IMAGE),
        comments=(ENDING, *(IMAGE for _ in found.game.moves[1:])),
        comment=SCRIPT,
        facts=(("event", ENDING), ("date", IMAGE), ("opening", SCRIPT)),
    )
    moments = [
        replace(each, found=each.found and replace(each.found, remarks=(SCRIPT, ENDING, IMAGE)))
        for each in found.main.moments
    ]
    course = replace(found.main, moments=tuple(moments))
    return replace(found, game=record, courses=(course,), engine=SCRIPT)


# --- without a browser --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [real, tree, odd, hostile])
def test_page_is_whole_and_loads_nothing(make: object) -> None:
    text = review_page(make())  # type: ignore[operator]
    parts = Parts(text)
    loads_nothing(parts)
    data, _ = parts.scripts
    assert "<" not in data and json.loads(data)["courses"]
    assert "url(#" in text and not re.findall(r"url\((?!#)", text)
    assert not re.findall(r"""(?:src|href|action)=["']?\w+:""", text)
    assert "@import" not in text and "fetch(" not in text and "XMLHttp" not in text


def test_page_lets_no_script_run_but_its_own() -> None:
    parts = Parts(review_page(hostile()))
    assert len(parts.scripts) == 2
    for said in (SCRIPT, IMAGE, ENDING):
        assert said in parts.text, "it is there, as text"


def test_page_is_small() -> None:
    assert len(review_page(real()).encode()) < 200_000
    assert len(review_page(tree()).encode()) < 200_000


def test_page_can_be_read_without_scripts() -> None:
    """Summary, last board, curve and every move are in the page itself."""
    found = real()
    text = review_page(found)
    parts = Parts(text)
    body = text.partition("<main>")[2].partition("<script")[0]
    assert "White (engineB) won with a five after 42 moves." in body
    assert body.count('class="curve"') == 1
    still = body.partition('id="still"')[2].partition("</div>")[0]
    assert still.count("<circle") >= 42 and "White wins" in still
    rows = [a for tag, a in parts.elements if tag == "tr" and "id" in a]
    assert [row["id"] for row in rows] == [str(number) for number in range(1, 43)]


def test_what_was_not_looked_at_is_said() -> None:
    found = real()
    moments = tuple(replace(each, found=None) for each in found.main.moments[:30])
    course = replace(found.main, moments=(*moments, *found.main.moments[30:]))
    text = Parts(review_page(replace(found, courses=(course,)))).text
    assert "Only 12 of 42 positions were looked at." in text and "not looked at" in text
    nothing = replace(course, moments=tuple(replace(m, found=None) for m in course.moments))
    assert "Only 0 of 42" in review_page(replace(found, courses=(nothing,)))


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


class Shown:
    """A page in the browser, and what can be seen of it."""

    def __init__(self, browser: Chromium, folder: Path, found: Review, anchor: str = "") -> None:
        self.browser = browser
        self.address = (folder / "game.html").as_uri()
        (folder / "game.html").write_text(review_page(found), encoding="utf-8")
        self.open(anchor)

    def open(self, anchor: str = "") -> None:
        self.browser.open("about:blank")
        self.browser.logs.clear()
        self.browser.requests.clear()
        self.browser.open(self.address + anchor)

    def quiet(self) -> None:
        """Nothing was complained of, asked for, or run that should not."""
        assert self.browser.logs == []
        asked = [each for each in self.browser.requests if each.partition("#")[0] != self.address]
        assert asked == []
        assert self.browser.value("window.hacked") is None

    def stones(self) -> list[tuple[int, int]]:
        """The points with stones, in the order in which they were drawn."""
        drawn = self.browser.value(
            "[...document.querySelectorAll('#stones .stone')].map((stone) =>"
            " [stone.getAttribute('cx'), stone.getAttribute('cy')])"
        )
        return [((int(x) - 48) // 40, (int(y) - 48) // 40) for x, y in drawn]

    def count(self, selector: str) -> int:
        return int(self.browser.value(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def words(self, selector: str) -> str:
        return str(
            self.browser.value(f"document.querySelector({json.dumps(selector)}).textContent")
        )


@pytest.fixture
def page(browser: Chromium, tmp_path: Path) -> Iterator[Shown]:
    """The page of the game with a missed five."""
    browser.resize(1280, 900)
    browser.dark(False)
    shown = Shown(browser, tmp_path, reviewed(MISSED_FIVE))
    yield shown
    shown.quiet()


def test_every_position_can_be_seen(page: Shown) -> None:
    assert page.stones() == MOVES, "the last one at first"
    page.browser.click("#first")
    assert page.stones() == []
    for ply in range(1, len(MOVES) + 1):
        page.browser.click("#forward")
        assert page.stones() == MOVES[:ply]
        assert page.words("#status").startswith(f"{ply}. {'Black' if ply % 2 else 'White'} ")
        assert page.words("#moves [aria-current]").startswith(str(ply))


def test_addresses(page: Shown) -> None:
    page.open("#11")
    assert page.stones() == MOVES[:11]
    assert page.words("#status").startswith("11. Black o1?! · Black ")
    assert "missed win" in page.words("#said") and "misses a win in 1 move" in page.words("#said")
    page.browser.press("ArrowLeft")
    time.sleep(0.5)
    assert page.browser.value("location.hash") == "#10"
    page.browser.value("location.hash = '#3'")
    time.sleep(0.2)
    assert page.stones() == MOVES[:3]
    page.open("#99")
    assert page.stones() == MOVES
    page.open("#summary")
    assert page.stones() == MOVES


def test_keys_clicks_and_curve(page: Shown) -> None:
    page.browser.press("ArrowLeft", 2)
    assert page.stones() == MOVES[:10]
    page.browser.value("document.getElementById('back').focus()")
    page.browser.press("Home")
    assert page.stones() == []
    page.browser.press("End")
    assert page.stones() == MOVES
    page.browser.click("#moves button:nth-child(5)")
    assert page.stones() == MOVES[:5]
    page.browser.click(".chances .field")
    assert page.stones() == MOVES[:6], "the middle of the curve"
    page.browser.click(".all tbody tr:nth-child(7) a")
    time.sleep(0.2)
    assert page.stones() == MOVES[:7]
    page.browser.value(
        "(() => { const e = document.getElementById('ply'); e.value = 4;"
        " e.dispatchEvent(new Event('input')); })()"
    )
    assert page.stones() == MOVES[:4]


def test_marked_moves_in_turn(page: Shown) -> None:
    marked = [v.mark != "" for _, v in reviewed(MISSED_FIVE).verdicts(reviewed(MISSED_FIVE).main)]
    numbers = [number for number, mark in enumerate(marked, 1) if mark]
    page.browser.click("#first")
    seen = []
    while not page.browser.value("document.getElementById('worse-forward').disabled"):
        page.browser.click("#worse-forward")
        seen.append(len(page.stones()))
    assert seen == numbers and page.count(".badge") == 1
    page.browser.click("#worse-back")
    assert len(page.stones()) == numbers[-2]


def test_swipes(page: Shown) -> None:
    def swipe(start: int, end: int) -> None:
        page.browser.value(
            "(() => { const box = document.getElementById('board');"
            " const touch = (x) =>"
            "  [new Touch({ identifier: 1, target: box, clientX: x, clientY: 50 })];"
            " const send = (kind, touches) => box.dispatchEvent(new TouchEvent(kind, touches));"
            f" send('touchstart', {{ touches: touch({start}) }});"
            f" send('touchend', {{ changedTouches: touch({end}) }}); }})()"
        )

    swipe(100, 200)
    assert page.stones() == MOVES[:-1]
    swipe(200, 100)
    assert page.stones() == MOVES
    swipe(200, 190)
    assert page.stones() == MOVES, "that was a tap"


def test_best_moves_and_lines_on_the_board(page: Shown) -> None:
    page.open("#10")
    found = reviewed(MISSED_FIVE).main.moments[10].found
    assert found is not None
    assert page.count("#over .hint") == page.count("#lines button") == len(found.all_lines)
    assert page.count("#lines .played") == 1, "a worse move that was played is shown too"
    assert page.words("#lines button").startswith("g3 wins in 1 move")
    page.open("#1")
    second = reviewed(MISSED_FIVE).main.moments[1].found
    assert second is not None
    shown = len(second.all_lines)
    page.browser.click("#lines li:nth-child(2) button")
    assert page.count("#over .hint") == 0
    assert page.count("#over .ghost") == min(24, len(second.all_lines[1].moves))
    pressed = "[...document.querySelectorAll('#lines button')].map((b) => b.ariaPressed)"
    assert page.browser.value(pressed) == ["false", "true", *["false"] * (shown - 2)]
    page.browser.click("#lines li:nth-child(2) button")
    assert page.count("#over .ghost") == 0 and page.count("#over .hint") == shown
    page.browser.click("#hints")
    assert page.count("#over .hint") == 0


def test_autoplay(page: Shown) -> None:
    page.browser.value("document.getElementById('speed').value = '500'")
    page.browser.click("#play")
    time.sleep(1.4)
    assert 1 <= len(page.stones()) <= 3
    page.browser.click("#play")
    before = page.stones()
    time.sleep(0.7)
    assert page.stones() == before


def test_branches_and_forbidden_points(browser: Chromium, tmp_path: Path) -> None:
    shown = Shown(browser, tmp_path, tree())
    assert shown.count("#course option") == 4 and shown.count("[data-chart]:not(.hidden)") == 1
    shown.open("#2.5")
    line = tree().game.line(2)
    assert shown.stones() == list(line[:5])
    assert browser.value("document.getElementById('course').value") == "2"
    browser.value(
        "(() => { const e = document.getElementById('course'); e.value = '0';"
        " e.dispatchEvent(new Event('change')); })()"
    )
    assert shown.stones() == list(tree().game.moves)
    shown.quiet()
    foul = Shown(browser, tmp_path, reviewed(FORCED_FOUL, Rules.renju()), "#10")
    assert foul.count("#under .forbidden") == 1
    assert foul.words("#under .forbidden title") == "forbidden: double three"
    browser.click("#forward")
    assert foul.count("#stones path") == 1, "the stone that lost is crossed out"
    foul.quiet()


def test_set_up_stones_and_passes(browser: Chromium, tmp_path: Path) -> None:
    shown = Shown(browser, tmp_path, odd(), "#0")
    assert len(shown.stones()) == 6
    browser.click("#forward")
    browser.click("#forward")
    assert "2. Black pass" in shown.words("#status") and len(shown.stones()) == 7
    assert shown.words("#moves [aria-current]") == "2pass"
    shown.quiet()


@pytest.mark.parametrize("name", corners())
def test_corners(browser: Chromium, tmp_path: Path, name: str) -> None:
    """Whatever the game, the page is whole and can be stepped through."""
    record = corners()[name]
    found = review(record, setting=replace(FEW, nodes=300))
    loads_nothing(Parts(review_page(found)))
    shown = Shown(browser, tmp_path, found)
    laid = len(record.black) + len(record.white)
    assert len(shown.stones()) == laid + sum(move is not None for move in record.moves)
    browser.click("#play")
    browser.press("ArrowLeft", 5)
    assert len(shown.stones()) == laid
    browser.press("ArrowRight")
    shown.quiet()


def test_hostile_names_do_nothing(browser: Chromium, tmp_path: Path) -> None:
    shown = Shown(browser, tmp_path, hostile())
    for number in (1, 5, 12):
        shown.open(f"#{number}")
        assert IMAGE in shown.words("#remarks") and SCRIPT in shown.words("h1")
    shown.quiet()


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_nothing_sticks_out(browser: Chromium, tmp_path: Path, width: int) -> None:
    browser.resize(width, 800, width < 700)
    for found in (hostile(), tree()):
        shown = Shown(browser, tmp_path, found, "#6")
        assert browser.value("document.documentElement.scrollWidth") <= width
        small = browser.value(
            "[...document.querySelectorAll('.buttons button')].filter((b) =>"
            " b.getBoundingClientRect().height < 36).length"
        )
        assert small == 0, "for fingers"
        shown.quiet()
    browser.resize(1280, 900)


CONTRAST = """(selector) => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) =>
    v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const element = document.querySelector(selector);
  let ground = element;
  while (parts(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor]
    .map((colour) => light(parts(colour))).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(browser: Chromium, tmp_path: Path, dark: bool) -> None:
    """WCAG AA: 4.5 to 1 for text."""
    browser.dark(dark)
    shown = Shown(browser, tmp_path, reviewed(MISSED_FIVE), "#11")
    places = ("#status", "#said .label", "#said p:last-child", ".facts", ".lines .worth")
    places += (".lines .line", "#moves button i", "#moves .blunder b", "#moves .mistake b")
    places += ("#moves .inaccuracy b", ".all caption", ".tile span", "footer p")
    places += ("#moves [aria-current] i",)
    for place in places:
        assert browser.value(f"({CONTRAST})({json.dumps(place)})") >= 4.5, place
    browser.dark(False)
    shown.quiet()


def test_everything_has_a_name(page: Shown) -> None:
    """What can be pressed or looked at says what it is, to who cannot see it too."""
    tree = page.browser.call("Accessibility.getFullAXTree")["nodes"]
    kinds = ("button", "link", "checkbox", "combobox", "slider", "image", "img")
    nameless = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node.get("role", {}).get("value") in kinds
        and not node.get("name", {}).get("value")
    ]
    assert nameless == []


def test_print(page: Shown) -> None:
    """Some pages on paper, not an endless one."""
    made = page.browser.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
    pdf = b64decode(made["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert pdf.startswith(b"%PDF") and 1 <= pages <= 3


def test_without_scripts(browser: Chromium, tmp_path: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        shown = Shown(browser, tmp_path, reviewed(MISSED_FIVE))
        made = browser.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        boxes = {}
        for name in ("#still", "#board", ".controls", "#moves", ".chances", ".all"):
            node = browser.call("DOM.querySelector", nodeId=made, selector=name)["nodeId"]
            try:
                boxes[name] = browser.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 20
            except RuntimeError:
                boxes[name] = False
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert boxes == {
        "#still": True,
        "#board": False,
        ".controls": False,
        "#moves": False,
        ".chances": True,
        ".all": True,
    }
    assert shown.browser.logs == []
