"""RenLib libraries, built byte by byte: points, flags, comments, trees, and what is broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisan.engine import Rules
from shisan.protocol.games import Branch, GameError, GameRecord
from shisan.protocol.gametrees import PLAIN, Wanted
from shisan.protocol.renlib import read_renlib

HEADER = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10

# A tree whose points have no symmetry, written down by hand. a1 is the corner on the top left.
#   h8 "centre" - i8 - k3          k3 is a leaf
#                    - c12 (text "A", comment "one" and "two\nthree")
#               - b15 - o1
#               - (text "x" at d2, no move)
ASYMMETRIC = (
    HEADER
    + bytes.fromhex(
        "0000"  # the root
        "7808" + b"centre\0\0".hex() + "7980"  # h8: row 8, column 8; i8: row 8, column 9, sibling
        "2bc0"  # k3: row 3, column 11, sibling, leaf
        "b349"  # c12: row 12, column 3, leaf, comment, further bytes
        "0001"
        + b"one\btwo\r\nthree\0\0".hex()
        + b"A\0".hex()
        + "e280"  # b15: row 15, column 2, sibling
        "0f40"  # o1: row 1, column 15, leaf
        "1443"  # d2: row 2, column 4, leaf, no move, further bytes
        "0001" + b"x\0".hex()
    )
)


def one(data: bytes, wanted: Wanted = PLAIN) -> GameRecord:
    """The only game of a library without faults."""
    (found,) = read_renlib(data, "a.lib", wanted)
    assert isinstance(found, GameRecord), found
    return found


def fault(data: bytes, wanted: Wanted = PLAIN) -> GameError:
    """The last thing that is wrong."""
    *_, found = read_renlib(data, "a.lib", wanted)
    assert isinstance(found, GameError)
    return found


def test_asymmetric_tree() -> None:
    """Column is the low half of the byte, row the high half and on top first."""
    game = one(ASYMMETRIC)
    assert game.moves == ((7, 7), (8, 7), (10, 2))
    assert game.comments == ("centre\ntext at d2: x", "", "")
    assert game.branches == (
        Branch(0, 2, ((2, 11),), ("text: A\none\ntwo\nthree",)),
        Branch(0, 1, ((1, 14), (14, 0))),
    )
    assert game.line(2) == ((7, 7), (1, 14), (14, 0))
    assert (game.width, game.height, game.rules) == (15, 15, None)


def test_first_child_without_a_move_is_no_main_line() -> None:
    """The text on d2 comes first; the main line goes on with the next child."""
    game = one(HEADER + bytes.fromhex("0000 7800 14c3 0001 7800 7940"))
    assert (game.moves, game.branches) == (((7, 7), (8, 7)), ())
    assert game.comments == ("text at d2: x", "")


def test_children_of_a_text_cannot_be_reached() -> None:
    game = one(HEADER + bytes.fromhex("0000 7800 1482 2b40 7940"))
    assert (game.moves, game.branches) == (((7, 7), (8, 7)), ())


def test_passes_and_root() -> None:
    """A zero is the root only where it comes first."""
    game = one(HEADER + bytes.fromhex("0008") + b"hi\0\0" + bytes.fromhex("7800 0000 7940"))
    assert (game.comment, game.moves) == ("hi", ((7, 7), None, (8, 7)))
    assert one(HEADER + bytes.fromhex("0040")).moves == ()


def test_without_root_and_without_header() -> None:
    """Libraries before version 3 begin with their first move."""
    assert one(HEADER + bytes.fromhex("7800 7940")).moves == ((7, 7), (8, 7))
    assert one(bytes.fromhex("7800 7940")).moves == ((7, 7), (8, 7))


def test_old_comments() -> None:
    """Seven bits a letter, the last one with the eighth; Swedish letters on brackets."""
    said = bytes([*b"f|rst", ord("a") | 0x80])
    game = one(HEADER + bytes.fromhex("0000 7820") + said + bytes.fromhex("7940"))
    assert game.comments == ("först" + "a", "")
    odd = bytes([*b"ab", ord("c") | 0x80, 0])
    assert one(HEADER + bytes.fromhex("0000 7860") + odd).comments == ("abc",)


@pytest.mark.parametrize(
    ("said", "encoding", "text"),
    [
        ("五目並べ".encode("gbk"), "", "五目並べ"),
        ("ñandú ".encode("latin-1"), "", "ñandú"),
        ("五目".encode(), "", "五目"),
        ("連珠".encode("shift_jis"), "shift_jis", "連珠"),
    ],
)
def test_encodings(said: bytes, encoding: str, text: str) -> None:
    padded = said + b"\0" * (2 - len(said) % 2)
    data = HEADER + bytes.fromhex("0000 7848") + padded
    assert one(data, Wanted(encoding=encoding)).comments == (text,)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.lib: byte 0: no RenLib library: it begins with the byte FF and RenLib"),
        (b"RenLib", "a.lib: byte 0: no RenLib library: it begins with the byte FF and RenLib"),
        (HEADER[:12], "a.lib: byte 0: the header is cut off: 12 bytes of 20"),
        (HEADER[:8] + b"\x04\x00" + HEADER[10:], "a.lib: byte 8: version 4.0 is not known, only"),
        (HEADER, "a.lib: byte 20: the file ends inside the tree: it is cut off"),
        (ASYMMETRIC[:38], "a.lib: byte 38: the file ends inside the tree: it is cut off"),
        (ASYMMETRIC[:27], "a.lib: byte 24: a comment has no end: the file is cut off"),
        (HEADER + b"\0\x20abc", "a.lib: byte 22: a comment has no end: the file is cut off"),
        (HEADER + b"\0\0\x78\0\xf1\x40", "a.lib: byte 24: 0xf1 is no point of the board"),
        (HEADER + b"\0\0\x78\0\x70\x40", "a.lib: byte 24: 0x70 is no point of the board"),
        (HEADER + b"\0\0\x78\0\x79\0\x78\x40", "a.lib: byte 26: move 3 (h8): point 7,7 is occ"),
        (ASYMMETRIC + b"more", f"a.lib: byte {len(ASYMMETRIC)}, game 2: 4 bytes follow the end of"),
    ],
)
def test_faults(data: bytes, message: str) -> None:
    assert str(fault(data)).startswith(message)


def test_fault_in_a_branch() -> None:
    """The byte is that of the move; a library that is otherwise whole is not handed out."""
    data = HEADER + bytes.fromhex("0000 7800 79c0 2b00 78 40")
    error = fault(data)
    assert str(error) == "a.lib: byte 28: branch 1, move 3 (h8): point 7,7 is occupied"
    assert (error.source.offset, error.field, error.value) == (28, "move 3", "7,7")


def test_rules_and_size() -> None:
    """Five in the main line; then the game is over."""
    five = bytes.fromhex("7800 0100 7900 0200 7a00 0300 7b00 0400 7c00 0540")
    data = HEADER + b"\0\0" + five
    assert len(one(data).moves) == 10
    assert "move 10 (e1) under freestyle: the game is over" in str(
        fault(data, Wanted(Rules.freestyle()))
    )
    assert "the board is 15x15, not 20x20" in str(fault(data, Wanted(size=(20, 20))))


Tree = dict[tuple[int, int], "Tree"]  # type: ignore[misc]
POINTS = st.tuples(st.integers(0, 14), st.integers(0, 14))
TREES = st.recursive(
    st.just({}), lambda below: st.dictionaries(POINTS, below, max_size=3), max_leaves=25
)


def written(tree: Tree, last: bool = True) -> bytes:
    """The nodes of a tree, as RenLib writes them."""
    out = b""
    for at, ((x, y), below) in enumerate(tree.items()):
        flags = (0x80 if at + 1 < len(tree) else 0) | (0 if below else 0x40)
        out += bytes([16 * y + x + 1, flags]) + written(below)
    return out


def leaves(tree: Tree, path: tuple[tuple[int, int], ...] = ()) -> list[tuple[tuple[int, int], ...]]:
    """All lines of a tree, first to last."""
    if not tree:
        return [path]
    return [line for point, below in tree.items() for line in leaves(below, (*path, point))]


@given(TREES)
def test_any_tree(tree: Tree) -> None:
    """The lines that are read are those that were written, in their order."""
    data = HEADER + bytes([0, 0 if tree else 0x40]) + written(tree)
    lines = leaves(tree)
    (found,) = read_renlib(data)
    if isinstance(found, GameError):
        assert any(len(set(line)) < len(line) for line in lines)
        assert "is occupied" in found.problem
    else:
        assert [found.line(k) for k in range(len(found.branches) + 1)] == lines
