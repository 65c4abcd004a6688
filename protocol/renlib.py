"""RenLib's .lib: a tree of moves on 15x15, in binary, read and written.

After a header of 20 bytes come nodes in depth-first order, two bytes each: the point and flags.
A point is 16 * (row - 1) + column, both from 1, row 1 on top (RenLib's own screen calls it 15);
0 is the root, or a pass. The flag "sibling" says that the node is not the last child of its
parent, "leaf" that it has no child. Comments and texts on the board follow their node; they end
with a zero byte and fill an even number of bytes. Written from the sources of RenLib 3.6.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from shisan.engine import Point

from .encodings import decode, guessed
from .games import GameError, GameRecord, Source
from .gametrees import PLAIN, TreeBuilder, Wanted, checked
from .notation import point_name

HEADER: Final = b"\xffRenLib\xff"
"""How a library begins; the version follows, major and minor."""

_HEADER_SIZE: Final = 20
_NEWEST: Final = (3, 4)
_CENTRE: Final = 0x78
"""Libraries before RenLib had a header begin with their first move, which is this point."""

_SIBLING: Final = 0x80
_LEAF: Final = 0x40
_OLD_COMMENT: Final = 0x20
_COMMENT: Final = 0x08
_NO_MOVE: Final = 0x02
_EXTENSION: Final = 0x01
_NORDIC: Final = str.maketrans("}{|][\\", "åäöÅÄÖ")
"""Old comments have seven bits a letter; these were Swedish."""


class Node(NamedTuple):
    """A node of the tree, in depth-first order.

    offset: its first byte. depth: moves before it. move: None is a pass. kind: what it is; of
    "text only" the move is the point that the text stands on. comment, text: without the zero.
    """

    offset: int
    depth: int
    move: Point | None
    kind: Literal["root", "move", "text only"]
    comment: bytes
    text: bytes


def read_renlib(
    data: bytes, file: str = "", wanted: Wanted = PLAIN
) -> Iterator[GameRecord | GameError]:
    """The library as one game: its first line, and all others as branches.

    Kept are moves, passes, comments, and texts on the board as a comment `text: A`; where a text
    stands on a point that is no move of the library, as `text at h8: A` on the move before. Marks
    and the start position are passed over. What follows the tree is an error of its own.
    """
    source = Source(file, "renlib", 1, None, 0)
    try:
        nodes, end = _nodes(data, _start(data, source), source)
        yield _game(nodes, source, wanted)
    except GameError as problem:
        yield problem
        return
    left = len(data) - end
    if left > 1:
        where = replace(source, number=2, offset=end)
        yield GameError(where, f"{left} bytes follow the end of the tree")


def read_nodes(data: bytes, file: str = "") -> list[Node]:
    """All nodes of a library, moves unchecked. Raises GameError."""
    source = Source(file, "renlib", 1, None, 0)
    return _nodes(data, _start(data, source), source)[0]


def write_nodes(nodes: Sequence[Node]) -> bytes:
    """A library of these nodes; the first is the root, offsets are passed over.

    Comments and texts hold no zero. What read_nodes gives back is the same but for the offsets.
    """
    flags = []
    below = False  # whether the node that follows is a child of this one
    later: list[bool] = []  # for each depth: whether a sibling follows
    for node in reversed(nodes):
        level = node.depth + (node.kind != "root")
        below = len(later) > level + 1
        del later[level + 1 :]
        later += [False] * (level + 1 - len(later))
        flags.append((0 if below else _LEAF) | (_SIBLING if later[level] else 0))
        later[level] = True
    parts = [HEADER, bytes(_NEWEST), b"\xff" * (_HEADER_SIZE - len(HEADER) - len(_NEWEST))]
    for node, flag in zip(nodes, reversed(flags), strict=True):
        parts.append(_written(node, flag))
    return b"".join(parts)


def _written(node: Node, flags: int) -> bytes:
    """A node, given whether it is a leaf and whether a sibling follows."""
    flags |= _NO_MOVE if node.kind == "text only" else 0
    flags |= _COMMENT if node.comment else 0
    flags |= _EXTENSION if node.text else 0
    square = 0 if node.move is None else 16 * node.move[1] + node.move[0] + 1
    parts = [bytes((square, flags)), b"\0\1" if node.text else b""]
    parts += [said + b"\0" * (2 - len(said) % 2) for said in (node.comment, node.text) if said]
    return b"".join(parts)


def _start(data: bytes, source: Source) -> int:
    """The offset of the first node."""
    if data[:1] == bytes([_CENTRE]):
        return 0
    if not data.startswith(HEADER):
        problem = "no RenLib library: it begins with the byte FF and RenLib"
        raise GameError(source, problem, "header", data[:8].decode("latin-1"))
    if len(data) < _HEADER_SIZE:
        raise GameError(source, f"the header is cut off: {len(data)} bytes of {_HEADER_SIZE}")
    version = (data[8], data[9])
    if version > _NEWEST:
        shown, newest = (f"{major}.{minor}" for major, minor in (version, _NEWEST))
        problem = f"version {shown} is not known, only up to {newest}"
        raise GameError(replace(source, offset=8), problem, "version", shown)
    return _HEADER_SIZE


def _nodes(data: bytes, at: int, source: Source) -> tuple[list[Node], int]:
    """All nodes in their order, and the offset after the last one."""
    nodes: list[Node] = []
    waiting: list[int] = []  # depths of siblings that are still to come
    depth = 0
    while True:
        offset = at
        square, flags, further, at = _pair(data, at, source)
        comment = text = b""
        if flags & _OLD_COMMENT:
            comment, at = _old_text(data, at, source)
        elif flags & _COMMENT:
            comment, at = _text(data, at, source)
        if further:
            text, at = _text(data, at, source)
        root = not nodes and not square
        kind: Literal["root", "move", "text only"] = "move"
        if root:
            kind = "root"
        elif flags & _NO_MOVE:
            kind = "text only"
        nodes.append(Node(offset, depth, _point(square, offset, source), kind, comment, text))
        if flags & _SIBLING and not root:
            waiting.append(depth)
        if not flags & _LEAF:
            depth += not root
        elif waiting:
            depth = waiting.pop()
        else:
            return nodes, at


def _pair(data: bytes, at: int, source: Source) -> tuple[int, int, int, int]:
    """Point and flags of a node, what is in two further bytes, and the offset after them.

    RenLib has one use for the further bytes: 1 in the second says that a text follows. Programs
    that write a text all the same set some bit in them.
    """
    square, flags = _two(data, at, source)
    if not flags & _EXTENSION:
        return square, flags, 0, at + 2
    first, second = _two(data, at + 2, source)
    return square, flags, first | second, at + 4


def _two(data: bytes, at: int, source: Source) -> tuple[int, int]:
    if at + 2 > len(data):
        where = replace(source, offset=len(data))
        raise GameError(where, "the file ends inside the tree: it is cut off")
    return data[at], data[at + 1]


def _text(data: bytes, at: int, source: Source) -> tuple[bytes, int]:
    """A text that ends with a zero byte, and the offset after its last pair of bytes."""
    end = data.find(0, at)
    if end < 0:
        where = replace(source, offset=at)
        raise GameError(where, "a comment has no end: the file is cut off", "comment")
    return data[at:end], at + (end - at) // 2 * 2 + 2


def _old_text(data: bytes, at: int, source: Source) -> tuple[bytes, int]:
    """A text whose last letter has the highest bit set, and the offset after its last pair."""
    for end in range(at, len(data)):
        if data[end] & 0x80:
            letters = bytes(byte & 0x7F for byte in data[at : end + 1])
            text = letters.decode("ascii").translate(_NORDIC)
            return text.encode(), at + (end - at) // 2 * 2 + 2
    where = replace(source, offset=at)
    raise GameError(where, "a comment has no end: the file is cut off", "comment")


def _point(square: int, offset: int, source: Source) -> Point | None:
    if square == 0:
        return None
    row, column = divmod(square, 16)
    if not column or row > 14:
        where = replace(source, offset=offset)
        raise GameError(where, f"{square:#04x} is no point of the board", "point", f"{square:#04x}")
    return column - 1, row


def _game(nodes: list[Node], source: Source, wanted: Wanted) -> GameRecord:
    encoding = wanted.encoding or guessed(b"\n".join(node.comment + node.text for node in nodes))
    tree = TreeBuilder()
    barren: int | None = None  # below this depth nothing can be reached
    for node in nodes:
        if barren is not None and node.depth > barren:
            continue
        barren = None
        tree.back(node.depth)
        text = lines_of(node.text, encoding)
        if node.kind == "move":
            tree.add(node.move, node.offset)
            tree.say(f"text: {text}" if text else "")
        elif node.kind == "text only":
            barren = node.depth
            name = "the pass" if node.move is None else point_name(*node.move)
            tree.say(f"text at {name}: {text}" if text else "")
        tree.say(lines_of(node.comment, encoding))
    return checked(tree.fill(GameRecord(source=source)), wanted, tree.place)


def lines_of(raw: bytes, encoding: str) -> str:
    """A comment as text: one line, then perhaps a backspace and several."""
    said = decode(raw, encoding).replace("\r\n", "\n").replace("\r", "\n")
    return said.replace("\b", "\n").strip()
