"""Game after game with a person: turns, hints, levels, the clock; and the engine in its thread."""

import time
from queue import Queue

import pytest
from played_out import Table

from shisan.engine import Colour, LimitError, Limits, Position, Rules
from shisan.protocol.notation import read_point, read_points
from shisan.protocol.records import play_all
from shisan.protocol.sitting import PlayError
from shisan.protocol.thinker import Thinker, Thought


def test_move_and_answer() -> None:
    table = Table(strength=30, think_s=3)
    assert table.host.thinking_s is None
    assert table.host.place((7, 7)) == ""
    position, limits, strength, why = table.engine.asked[-1]
    assert (position.ply, limits, strength, why) == (1, Limits(turn_ms=3000), 30, False)
    table.now += 1.25
    assert table.host.thinking_s == 1.25
    assert table.host.poll() == []
    assert table.reply("i9") == ["Shisan plays i9 (1.2 s)"]
    assert table.host.sitting.persons_turn


def test_the_engine_begins_for_a_person_with_white() -> None:
    table = Table(colour=Colour.WHITE)
    assert len(table.engine.asked) == 1
    assert table.reply("h8") == ["Shisan plays h8 (0.0 s)"]


def test_colours_are_drawn_anew_for_each_game() -> None:
    table = Table(colour=None)
    seen = set()
    for _ in range(20):
        said = table.host.new_game()
        person = table.host.sitting.person
        assert said == f"a new game: you are {person.name.lower()}"
        assert table.engine.busy == (person == Colour.WHITE)
        seen.add(person)
    assert len(seen) == 2


def test_take_back_stops_the_engine() -> None:
    table = Table()
    table.host.place((7, 7))
    assert table.host.take_back() == "one stone taken back"
    assert not table.engine.busy
    assert table.host.poll() == []
    assert table.host.sitting.position.ply == 0


def test_take_back_of_a_resignation_while_the_engine_thought() -> None:
    table = Table()
    table.host.place((7, 7))
    assert table.host.resign() == "White wins: Black resigns"
    assert not table.engine.busy
    assert table.host.take_back() == "the game goes on"
    assert table.engine.busy
    assert table.reply("i9") == ["Shisan plays i9 (0.0 s)"]


def test_hints_are_at_full_strength_and_forgotten_with_the_position() -> None:
    table = Table(moves="h8a1i8c1j8e1k8g1", strength=20)
    assert table.host.ask_hint() == "thinking about a hint"
    assert table.host.hinting
    assert table.engine.asked[-1][2:] == (100, True)
    assert table.reply("l8") == ["l8 makes five and wins"]
    assert table.host.hint is not None
    assert table.host.hint.point == read_point("l8")
    table.host.place((0, 14))
    assert table.host.hint is None
    with pytest.raises(PlayError, match="no hint while the engine thinks"):
        table.host.ask_hint()


def test_a_move_while_a_hint_is_looked_for() -> None:
    table = Table()
    table.host.ask_hint()
    table.host.place((7, 7))
    assert not table.host.hinting
    assert table.engine.asked[-1][2:] == (100, False)
    assert table.reply("i9") == ["Shisan plays i9 (0.0 s)"]


def test_levels_change_during_play() -> None:
    table = Table(strength=50)
    table.host.place((7, 7))
    assert table.host.set_strength(10) == "strength 10 from the next move on"
    table.reply("i9")
    assert table.host.sitting.plies[-1].note == "strength 50, value +0"
    table.host.place((0, 0))
    assert table.engine.asked[-1][2] == 10
    for strength in (-1, 101):
        with pytest.raises(PlayError, match=r"strength is 0\.\.100"):
            table.host.set_strength(strength)


def test_the_clock() -> None:
    table = Table(clock_s=10, think_s=60)
    table.now += 4
    assert table.host.left_s == 6
    table.host.ask_hint()
    assert table.engine.asked[-1][1] == Limits(turn_ms=3000)
    table.host.place((7, 7))
    assert table.engine.asked[-1][1] == Limits(turn_ms=10_000)
    table.reply("i9")
    table.now += 10
    assert table.host.poll() == ["White wins: Black's time has run out"]
    assert table.host.poll() == []
    assert table.host.take_back() == "the game goes on"
    assert table.host.left_s == 10


def test_a_move_too_late_is_refused_with_the_reason() -> None:
    table = Table(clock_s=10)
    table.now += 11
    with pytest.raises(PlayError, match="Black's time has run out"):
        table.host.place((7, 7))
    assert not table.engine.busy


def test_a_suspended_program_does_not_lose_on_time() -> None:
    table = Table(clock_s=10)
    table.now += 4
    table.host.pause()
    table.now += 3600
    table.host.resume()
    assert table.host.poll() == []
    assert table.host.left_s == 6


def test_hurrying() -> None:
    table = Table()
    with pytest.raises(PlayError, match="nobody is thinking"):
        table.host.hurry()
    table.host.place((7, 7))
    table.host.hurry()
    assert table.engine.hurried == 1


# The thread


def waited(thinker: Thinker, awake: "Queue[None]") -> Thought:
    awake.get(timeout=20)
    thought = thinker.take()
    assert thought is not None
    return thought


def test_a_thought() -> None:
    awake: Queue[None] = Queue()
    thinker = Thinker(Rules.freestyle(), lambda: awake.put(None))
    position = play_all(Rules.freestyle(), read_points("h8a1i8c1j8e1k8g1"))
    thinker.begin(position, Limits(turn_ms=1000), strength=0, why=True)
    thought = waited(thinker, awake)
    assert thought.hint is not None
    assert thought.hint.text == f"{thought.hint.text[:2]} makes five and wins"
    assert not thinker.busy
    assert thinker.take() is None


@pytest.mark.parametrize("wait_s", [0, 0.0005, 0.3])
def test_hurried_and_dropped_at_once(wait_s: float) -> None:
    """Also before the search has begun."""
    awake: Queue[None] = Queue()
    thinker = Thinker(Rules.freestyle(), lambda: awake.put(None))
    position = play_all(Rules.freestyle(), read_points("h8i9"))
    for _ in range(10 if wait_s < 0.1 else 1):
        thinker.begin(position, Limits(turn_ms=60_000))
        time.sleep(wait_s)
        begun = time.monotonic()
        thinker.hurry()
        assert position.is_legal(*waited(thinker, awake).found.move)
        thinker.begin(position, Limits(turn_ms=60_000))
        time.sleep(wait_s)
        thinker.drop()
        assert time.monotonic() - begun < 2 + wait_s
        assert not thinker.busy
        awake.get(timeout=5)
        assert thinker.take() is None


def test_what_goes_wrong_in_the_thread_is_raised_in_ours() -> None:
    awake: Queue[None] = Queue()
    thinker = Thinker(Rules.freestyle(), lambda: awake.put(None))
    thinker.begin(Position(Rules.renju()), Limits(nodes=10))
    awake.get(timeout=20)
    with pytest.raises(LimitError):
        thinker.take()
    assert not thinker.busy
