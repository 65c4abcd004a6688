"""A review as JSON and back, and as SGF: nothing is lost, nothing wrong is taken."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from played import FEW, IGNORED_THREE, MISSED_FIVE, corners, game, odd, real, reviewed, tree

from shisan.engine import Rules
from shisan.protocol.annotations import annotated
from shisan.protocol.gamefiles import read_game
from shisan.protocol.games import GameError
from shisan.protocol.gametrees import Wanted
from shisan.protocol.reviewfiles import is_review, read_review, write_review
from shisan.protocol.reviewing import Reviewer, review
from shisan.protocol.reviewpages import review_page
from shisan.protocol.reviews import Review
from shisan.protocol.reviewwords import summary
from shisan.protocol.sgfwriter import write_sgf


def half() -> Review:
    """Looked at from the end, and stopped."""
    reviewer = Reviewer(game(IGNORED_THREE), setting=FEW)
    for moment in reviewer.work():
        if moment.ply == 6:
            break
    return reviewer.review


def strange() -> Review:
    """Rules that have no name, and all that a game can have."""
    rules = Rules(9, 7, black_exact=True, forbidden=True, foul_loses=False)
    record = replace(
        game("d4 e5 d5", rules, players=("Å <b>", "五"), result="1/2", comment="so\nsaid"),
        walls=((0, 0),),
        comments=("", "x", ""),
        times_ms=(None, 12, 7),
        facts=(("event", "Cup"), ("date", "2026-01-31"), ("event", "again")),
    )
    reviewer = Reviewer(record, setting=replace(FEW, nodes=500, depth=3), opening=1)
    assert [*reviewer.work()]
    return reviewer.review


EVERY = {"real": real, "tree": tree, "odd": odd, "half": half, "strange": strange}


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_json_gives_the_same_review(make: Callable[[], Review]) -> None:
    found = make()
    text = write_review(found)
    again = read_review(text.encode(), "saved.json")
    assert again == found and write_review(again) == text
    assert again.game.source.name == found.game.source.name
    assert review_page(again) == review_page(found)
    assert write_sgf(annotated(again)) == write_sgf(annotated(found))
    assert is_review(text.encode()) and is_review(b"\xef\xbb\xbf" + text.encode())


@pytest.mark.parametrize("name", corners())
def test_corners(name: str) -> None:
    """Whatever the game, it comes back from JSON, and from SGF with the same moves."""
    record = corners()[name]
    found = review(record, setting=replace(FEW, nodes=300))
    assert found.complete and read_review(write_review(found)) == found
    again = read_game(write_sgf(annotated(found)).encode())
    assert (again.moves, again.black, again.walls) == (record.moves, record.black, record.walls)


def test_json_is_for_programs_too() -> None:
    """What follows from the moves and values stands in the file."""
    told = json.loads(write_review(reviewed(MISSED_FIVE)))
    assert told["format"] == "shisan game report" and told["version"] == 1
    assert told["summary"]["black"]["missed_wins"] == 1
    moment = told["courses"][0]["moments"][10]
    assert moment["move"] == [14, 0] and moment["verdict"]["missed_win"]
    assert moment["found"]["lines"][0]["win_in"] == 1
    assert moment["found"]["lines"][0]["moves"] == [[6, 2]]
    assert told["courses"][0]["moments"][9]["forced"] == [6, 2]
    assert not is_review(b'{"moves": "h8"}') and not is_review(b"(;FF[4]")


Change = Callable[[dict[str, Any]], object]
FIRST = "courses[0].moments[0].found"


def found_of(told: dict[str, Any], at: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = told["courses"][0]["moments"][at]["found"]
    return found


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (lambda t: t.update(version=2), "version", "2"),
        (lambda t: t.pop("format"), "format", ""),
        (lambda t: t.update(format="other"), "format", "other"),
        (lambda t: t.update(engine=7), "engine", "7"),
        (lambda t: t.update(opening=-1), "opening", "-1"),
        (lambda t: t["rules"].pop("forbidden"), "rules", None),
        (lambda t: t["rules"].update(width=99), "rules", None),
        (lambda t: t["rules"].update(closed_five=1), "rules.closed_five", "1"),
        (lambda t: t["rules"].update(width=16), "rules.width", "16"),
        (lambda t: t["setting"].update(nodes=0), "setting", None),
        (lambda t: t["setting"].update(lines=True), "setting.lines", "true"),
        (lambda t: t["game"].update(moves=[[7, 77]]), "game.moves", "[7, 77]"),
        (lambda t: t["game"].update(moves=[[7, 7], [7, 7]]), "game.move 2", "7,7"),
        (lambda t: t["game"].update(colour="red"), "game.colour", "red"),
        (lambda t: t["game"].update(comments=["x"]), "game.comments", '["x"]'),
        (lambda t: t["game"].update(times_ms="x"), "game.times_ms", "x"),
        (lambda t: t["game"].update(facts=[["a"]]), "game.facts[0]", '["a"]'),
        (lambda t: t.update(courses=[]), "courses", "[]"),
        (lambda t: t["courses"][0].update(branch=3), "courses", "[3]"),
        (lambda t: t["courses"][0]["moments"].pop(), "courses[0].moments", "12"),
        (lambda t: found_of(t).update(lines=[]), f"{FIRST}.lines", "[]"),
        (lambda t: found_of(t).update(nodes="many"), f"{FIRST}.nodes", "many"),
        (lambda t: found_of(t).update(played=None), f"{FIRST}.played", "null"),
        (lambda t: found_of(t).update(remarks=[1]), f"{FIRST}.remarks", "[1]"),
        (lambda t: found_of(t)["lines"][0].update(value=30000), f"{FIRST}.lines[0].value", "30000"),
        (lambda t: found_of(t)["lines"][0].update(win_in=3), f"{FIRST}.lines[0].win_in", "3"),
        (
            lambda t: found_of(t)["lines"][0].update(moves=[[7, 7], [7, 7]]),
            f"{FIRST}.lines[0].moves[1]",
            "[7, 7]",
        ),
        (
            lambda t: found_of(t, 1)["lines"][0].update(moves=[[2, 2]]),
            "courses[0].moments[1].found.lines[0].moves[0]",
            "[2, 2]",
        ),
        (
            lambda t: found_of(t)["lines"][0].update(moves=[[-1, 2]]),
            f"{FIRST}.lines[0].moves[0]",
            "[-1, 2]",
        ),
    ],
)
def test_wrong_json_is_refused_by_its_place(change: Change, field: str, value: str | None) -> None:
    told = json.loads(write_review(reviewed(MISSED_FIVE)))
    change(told)
    with pytest.raises(GameError) as problem:
        read_review(json.dumps(told), "saved.json")
    assert problem.value.field == field
    assert str(problem.value).startswith("saved.json: ")
    assert value is None or problem.value.value == value


def test_any_field_may_be_gone_or_of_another_kind() -> None:
    """Always an error of its own or, where a field may be absent, a review."""
    whole = json.loads(write_review(strange()))
    tried = 0

    def walk(part: Any, path: tuple[Any, ...]) -> None:
        nonlocal tried
        keys = list(part) if isinstance(part, dict) else range(min(len(part), 2))
        for key in keys:
            for wrong in (None, "x", -1, [], {}, [[]], True):
                told = copy.deepcopy(whole)
                inner = told
                for step in path:
                    inner = inner[step]
                inner[key] = wrong
                try:
                    read_review(json.dumps(told), "f")
                except GameError:
                    pass
                tried += 1
            if isinstance(part[key], dict | list):
                walk(part[key], (*path, key))

    walk(whole, ())
    assert tried > 1000


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "[" * 9999, b"\xff\xfe\x00"])
def test_what_is_no_review(text: str | bytes) -> None:
    with pytest.raises(GameError):
        read_review(text, "f")


def test_cut_off_files() -> None:
    text = write_review(reviewed(MISSED_FIVE))
    for length in range(0, len(text) - 2, 997):
        with pytest.raises(GameError, match="no JSON"):
            read_review(text[:length], "f")


# --- SGF ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [real, tree, odd], ids=["real", "tree", "odd"])
def test_sgf_reads_back_with_every_line_legal(make: Callable[[], Review]) -> None:
    found = make()
    text = write_sgf(annotated(found))
    again = read_game(text.encode(), Wanted(rules=found.rules))
    assert again.moves == found.game.moves and again.rules == found.rules
    assert again.comment.startswith(found.game.comment)
    for sentence in summary(found):
        assert sentence in again.comment
    own = [found.game.line(number) for number in range(len(found.game.branches) + 1)]
    lines = [again.line(number) for number in range(len(again.branches) + 1)]
    assert set(own) <= {line[: len(kept)] for line in lines for kept in own}


def test_sgf_has_comments_and_the_better_move() -> None:
    found = reviewed(MISSED_FIVE)
    again = read_game(write_sgf(annotated(found)).encode())
    assert "it misses a win in 1 move" in again.comments[10]
    assert "Forced" in again.comments[11]
    better = [branch for branch in again.branches if branch.ply == 10]
    assert [branch.moves[0] for branch in better] == [(6, 2)]
    assert better[0].comments[0] == "Best for Black: wins in 1 move."
    assert "\nBest for Black: " in again.comments[11], "no move after the last that was played"
    assert again.moves == found.game.moves


def test_comments_of_the_file_stay() -> None:
    found = tree()
    made = annotated(found)
    assert made.comments[3].startswith("The usual answer.\n")
    assert made.branches[1].moves == found.game.branches[1].moves
    assert any("or this" in said for branch in made.branches for said in branch.comments)
