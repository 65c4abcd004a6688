"""Proofs as trees: true ones stand, broken ones break where they should."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from shisan.engine import (
    Colour,
    Position,
    Proof,
    ProofFours,
    ProofMove,
    ProofReply,
    Rules,
    check_proof,
)
from shisan.engine.proof import Replay, check_line
from shisan.scripts.checks import ALL_RULES
from shisan.scripts.claims import puzzle_records
from shisan.scripts.forgeries import FORGERIES, PlainProof, check_forged, forged, short_proofs

BLACK, WHITE = Colour.BLACK, Colour.WHITE


def proof_of(position, nodes, plies, kind="any", attacker=BLACK):
    return Proof(
        position.rules,
        position.stones,
        position.side,
        tuple(position.walls),
        attacker,
        kind,
        plies,
        tuple(nodes),
    )


# A double three on 9x9: a four on either end of either three wins.

DOUBLE = ".........\n..XX.....\n....X....\n....X....\n" + ".........\n" * 4


@pytest.fixture
def double(drawn):
    """The double three at e2, White's replies that touch one three answered by the other."""
    position = drawn(Rules.freestyle(9), DOUBLE)
    column, row = ProofFours(((4, 4),)), ProofFours(((1, 1),))
    # a2, b2 and f2 stop an open four on b2, so the column wins; against all others the row does.
    nodes = [
        ProofMove((4, 1), (ProofReply(((0, 1), (1, 1), (5, 1)), 1), ProofReply(None, 2))),
        column,
        row,
    ]
    return position, nodes


def test_a_double_three_stands(double):
    position, nodes = double
    verdict = check_proof(proof_of(position, nodes, 5))
    assert verdict, verdict
    assert verdict.plies == 5
    assert verdict.line[0] == (4, 1)
    assert check_proof(proof_of(position, nodes, 5, "threats"))
    assert PlainProof(proof_of(position, nodes, 5)).holds()


def test_a_reply_left_out_is_named(double):
    position, nodes = double
    left = ProofMove((4, 1), (ProofReply(((0, 1), (1, 1)), 1), ProofReply(None, 2)))
    verdict = check_proof(proof_of(position, [left, *nodes[1:]], 5))
    assert verdict.status == "broken"
    assert verdict.line == ((4, 1), (5, 1), (1, 1), (0, 1))
    assert verdict.reason == "White is not made to reply"
    bare = ProofMove((4, 1), (ProofReply(((0, 1), (1, 1), (5, 1)), 1),))
    verdict = check_proof(proof_of(position, [bare, nodes[1]], 5))
    assert verdict.reason == "White's reply is not answered"
    assert verdict.line == ((4, 1), (0, 0))


def test_what_a_proof_says_of_itself_must_be_so(double):
    position, nodes = double
    for plies in (0, 3, 4, 7):
        verdict = check_proof(proof_of(position, nodes, plies))
        assert verdict.reason == f"the win takes 5 plies, not {plies}"
    verdict = check_proof(proof_of(position, nodes, 5, "fours"))
    assert "makes no four" in verdict.reason
    assert "none of" in check_proof(proof_of(position, nodes, 5, "magic")).reason
    assert (
        "nothing leads to node 3" in check_proof(proof_of(position, [*nodes, nodes[1]], 5)).reason
    )
    assert "no node" in check_proof(proof_of(position, [], 5)).reason


def test_answers_to_what_is_no_reply_break(double):
    position, nodes = double
    for points, reason in (
        (((4, 1),), "answers what is no reply"),  # occupied
        (((9, 1),), "answers what is no reply"),  # outside
        (((1, 1), (1, 1)), "answers a reply twice"),
    ):
        wrong = ProofMove((4, 1), (ProofReply((*points, (0, 1), (5, 1)), 1), ProofReply(None, 2)))
        assert reason in check_proof(proof_of(position, [wrong, *nodes[1:]], 5)).reason
    twice = ProofMove((4, 1), (*nodes[0].replies, ProofReply(None, 1)))
    assert "twice" in check_proof(proof_of(position, [twice, *nodes[1:]], 5)).reason


@pytest.mark.parametrize("following", [-1, 0, 3, 10**9])
def test_a_node_leads_to_later_ones_only(double, following):
    position, nodes = double
    wrong = ProofMove(
        (4, 1), (ProofReply(((0, 1), (1, 1), (5, 1)), following), ProofReply(None, 2))
    )
    verdict = check_proof(proof_of(position, [wrong, *nodes[1:]], 5))
    assert f"leads to {following}, which is no later node" in verdict.reason


def test_the_side_and_the_rule_matter(double, drawn):
    position, nodes = double
    proof = proof_of(position, nodes, 5)
    assert "moves, but White" not in check_proof(proof).reason
    assert check_proof(replace(proof, side=WHITE)).status == "broken"
    assert check_proof(replace(proof, attacker=WHITE)).status == "broken"
    verdict = check_proof(replace(proof, rules=Rules.renju(9)))
    assert verdict.reason == "Black cannot play 4,1: double three"
    verdict = check_proof(replace(proof, rules=Rules.freestyle(5)))
    assert verdict.status == "broken"


def test_a_loss_is_proven_for_the_other_side(drawn):
    """White to move: Black's open three and White's only stone far away; all replies lose."""
    position = drawn(Rules.freestyle(9), ".........\n.XXXX....\nO........", WHITE)
    nodes = [ProofMove(None, ())]
    assert check_proof(proof_of(position, nodes, 2)).plies == 2
    assert (
        "has no move"
        in check_proof(proof_of(position.copy(), [nodes[0]], 2, attacker=WHITE)).reason
    )
    moving = [ProofMove((0, 1), ())]
    assert "is to move" in check_proof(proof_of(position, moving, 2)).reason


def test_no_position_and_a_game_that_is_over(drawn, double):
    position, nodes = double
    proof = proof_of(position, nodes, 5)
    twice = replace(proof, stones=(*proof.stones, proof.stones[0]))
    assert "given twice" in check_proof(twice).reason
    over = drawn(Rules.freestyle(9), "XXXXX....")
    assert "over" in check_proof(proof_of(over, nodes, 5)).reason


def test_the_budget_holds(double):
    position, nodes = double
    proof = proof_of(position, nodes, 5)
    assert check_proof(proof, nodes=3).status == "budget"
    assert check_proof(proof, give_up=lambda: True).status == "budget"


def test_deep_proofs_do_not_exhaust_the_stack():
    """A node for each move of a board of 22 x 22, and nothing to win."""
    rules = Rules.freestyle(22)
    points = [(x, y) for y in range(22) for x in range(22)]
    nodes = [ProofMove(points[2 * i], (ProofReply(None, i + 1),)) for i in range(240)]
    proof = Proof(rules, (), BLACK, (), BLACK, "any", 99, (*nodes, ProofFours(((21, 21),))))
    assert check_proof(proof, nodes=10_000).status in ("broken", "budget")


# Fives are kept from stone to stone


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: f"{rules.name} {rules.foul_loses}")
def test_fives_are_those_of_the_whole_board(rules):
    random = Random(rules.name)
    small = replace(rules, width=8, height=7)
    for _ in range(4):
        replay = Replay(Position(small), 0)
        for _ in range(70):
            legal = replay.game.legal_points()
            if replay.game.over or not legal or (replay.before and random.random() < 0.3):
                if replay.before:
                    replay.undo()
            else:
                near = [p for p in legal if abs(p[0] - 4) < 3 and abs(p[1] - 3) < 3]
                x, y = random.choice(near or legal)
                replay.attacker = replay.game.side  # so that no result breaks it
                try:
                    replay.play(x, y)
                except Exception as broken:
                    assert "the game ends" in str(broken)
            for colour in Colour:
                assert replay.fives[colour] == replay.game.five_points(colour)
            if not replay.game.over:
                replay.attacker, replay.defender = replay.game.side.other, replay.game.side
                left = {p for p in replay.game.legal_points() if not replay.five_left(*p)}
                if not replay.fives[replay.game.side]:
                    assert set(replay.open_replies()) == left


# Broken on purpose


def proofs(data, count, longest):
    records = puzzle_records(data, ("vcf", "vct"))
    for size in ("freestyle", "standard", "renju"):
        for kind in ("vcf", "vct"):
            chosen = [r for r in records if r["rule"] == size and r["kind"] == kind]
            yield from short_proofs(chosen[: 4 * count : 4], longest)


def break_all(data, proofs_a_kind, forgeries, longest):
    counts = Counter()
    for seed, proof in enumerate(proofs(data, proofs_a_kind, longest)):
        tally = check_forged(proof, seed, forgeries)
        assert tally.faults == []
        counts.update(tally.counts)
        counts["proofs"] += 1
    return counts


def test_broken_proofs_are_rejected(data):
    counts = break_all(data, 1, 10, 5)
    assert counts["proofs"] >= 5
    assert counts["rejected"] >= 40


@pytest.mark.slow
def test_a_thousand_broken_proofs_are_rejected(data):
    counts = break_all(data, 12, 25, 7)
    assert counts["rejected"] >= 1000
    for how in FORGERIES:
        assert counts[f"{how}, rejected"], how


def test_each_forgery_changes_a_proof(double):
    position, nodes = double
    random = Random(1)
    proof = proof_of(position, nodes, 5)
    seen = {forged(random, proof)[0] for _ in range(400)}
    assert seen >= set(FORGERIES) - {"two points exchanged"}  # its lines are too short


def test_the_plain_checker_breaks_what_is_wrong(double, drawn):
    position, nodes = double
    left = ProofMove((4, 1), (ProofReply(((0, 1), (1, 1)), 1), ProofReply(None, 2)))
    assert not PlainProof(proof_of(position, [left, *nodes[1:]], 5)).holds()
    fours = drawn(Rules.freestyle(9), "OXXX.....\n.........")
    line = proof_of(fours, [ProofFours(((4, 0),))], 3)
    assert not PlainProof(line).holds() and not check_line(fours, [(4, 0)])
    open_three = drawn(Rules.freestyle(9), ".XXX.....\n.........")
    assert PlainProof(proof_of(open_three, [ProofFours(((4, 0),))], 3)).holds()
