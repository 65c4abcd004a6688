"""Proofs as text: written, read, and refused with the field that is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisan.engine import (
    Colour,
    Position,
    Proof,
    ProofFours,
    ProofMove,
    ProofReply,
    Rules,
    check_proof,
    solve,
)
from shisan.protocol.proofs import ProofError, proof_text, read_proof

PROOF = Proof(
    rules=Rules.freestyle(9),
    stones=((2, 1, Colour.BLACK), (3, 1, Colour.BLACK), (4, 2, Colour.BLACK)),
    side=Colour.BLACK,
    walls=((8, 8),),
    attacker=Colour.BLACK,
    kind="any",
    plies=5,
    nodes=(
        ProofMove((4, 1), (ProofReply(((0, 1), (1, 1)), 1), ProofReply(None, 2))),
        ProofFours(((4, 4),)),
        ProofFours(((1, 1), (0, 0), (5, 5))),
    ),
)
DATA = json.loads(proof_text(PROOF))


def test_what_is_written_is_read() -> None:
    assert read_proof(proof_text(PROOF)) == PROOF
    assert read_proof(proof_text(PROOF).encode()) == PROOF
    root = Proof(
        **{
            **{name: getattr(PROOF, name) for name in PROOF.__slots__},
            "side": Colour.WHITE,
            "nodes": (ProofMove(None, (ProofReply(None, 1),)), ProofFours(((4, 4),))),
        }
    )
    assert read_proof(proof_text(root)) == root


def test_a_node_is_a_line_of_text() -> None:
    lines = proof_text(PROOF).splitlines()
    assert lines[1:3] == ['  "format": "shisan proof",', '  "version": 1,']
    assert (
        '    {"move": "e2", "replies": [{"to": "a2b2", "node": 1}, {"to": "*", "node": 2}]},'
        in lines
    )
    assert '    {"fours": "e5"},' in lines


def changed(**fields: object) -> str:
    return json.dumps({**DATA, **fields})


def node(value: object) -> str:
    return changed(nodes=[value])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, character 1: Expecting value"),
        ('{"format": "shisan proof",\n "version"', "line 2, character 11"),
        ("[" * 100_000, "no JSON"),
        ("9" * 10_000, None),
        ("[]", "the text must be an object, not []"),
        ("{}", "the text has no 'format'"),
        ('{"format": "chess"}', "format must be 'shisan proof', not \"chess\""),
        (changed(version=2), "version must be 1, not 2"),
        (changed(version=True), "version must be 1, not true"),
        (changed(colour=1), 'the proof has "colour", which is not known'),
        (json.dumps({k: v for k, v in DATA.items() if k != "side"}), "the proof has no 'side'"),
        ('{"format": "a", "format": "b"}', '"format" stands twice in one object'),
        (changed(side="red"), "side must be 'black' or 'white', not \"red\""),
        (changed(attacker=0), "attacker must be 'black' or 'white', not 0"),
        (changed(kind="magic"), 'kind must be one of fours, threats, any, not "magic"'),
        (changed(plies=-1), "plies must be a number from 0, not -1"),
        (changed(plies=1.0), "plies must be a number from 0, not 1.0"),
        (changed(plies=True), "plies must be a number from 0, not true"),
        (changed(black="h8 z9"), "black: z9 at character 4 is outside: columns are a..i"),
        (changed(walls=[1]), "walls must be text with points, not [1]"),
        (changed(rules=[]), "rules must be an object, not []"),
        (changed(rules={**DATA["rules"], "width": 4}), "rules: width must be 5..22, not 4"),
        (changed(rules={**DATA["rules"], "forbidden": 1}), "rules.forbidden must be true or false"),
        (changed(rules={**DATA["rules"], "magic": 1}), 'rules has "magic", which is not known'),
        (changed(rules={"width": 15}), "rules has no 'height'"),
        (changed(nodes={}), "nodes must be a list, not {}"),
        (node(7), "nodes[0] must be an object, not 7"),
        (node({}), "nodes[0] has no 'replies'"),
        (node({"fours": "h8", "move": "a1"}), 'nodes[0] has "move", which is not known'),
        (node({"fours": "h10"}), "nodes[0].fours: h10 at character 1 is outside: rows are 1..9"),
        (node({"move": "a1b1", "replies": []}), "nodes[0].move: "),
        (node({"move": 1, "replies": []}), "nodes[0].move must be text with a point, not 1"),
        (node({"replies": [1]}), "nodes[0].replies[0] must be an object, not 1"),
        (node({"replies": [{"to": "*"}]}), "nodes[0].replies[0] has no 'node'"),
        (node({"replies": [{"to": None, "node": 1}]}), "nodes[0].replies[0].to must be text"),
        (node({"replies": [{"to": "*", "node": "1"}]}), "nodes[0].replies[0].node must be a num"),
    ],
)
def test_what_is_no_proof_is_refused(text: str, message: str | None) -> None:
    with pytest.raises(ProofError) as caught:
        read_proof(text)
    assert message is None or message in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_bytes_that_are_no_text_are_refused() -> None:
    for data in (b"\xff\xfe{", b"\x80\x81", b"\x00"):
        with pytest.raises(ProofError):
            read_proof(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.sampled_from(sorted(DATA)), json_values)
def test_any_value_in_any_field_is_read_or_refused(field: str, value: object) -> None:
    try:
        proof = read_proof(changed(**{field: value}))
    except ProofError:
        return
    check_proof(proof, nodes=1000)


@given(st.integers(0, len(proof_text(PROOF)) - 1), st.characters())
def test_a_letter_changed_anywhere_is_read_or_refused(at: int, letter: str) -> None:
    text = proof_text(PROOF)
    try:
        proof = read_proof(text[:at] + letter + text[at + 1 :])
    except ProofError:
        return
    check_proof(proof, nodes=1000)


def test_a_cut_off_file_is_refused() -> None:
    text = proof_text(PROOF)
    for end in range(len(text.rstrip()) - 1):
        with pytest.raises(ProofError):
            read_proof(text[:end])


def test_a_solution_survives_the_file() -> None:
    position = Position(Rules.freestyle())
    for point in ((7, 7), (8, 6), (7, 6), (8, 7), (7, 8), (8, 9)):
        position.play(*point)
    solution = solve(position)
    assert solution.proof is not None
    assert check_proof(read_proof(proof_text(solution.proof)))
