"""A brain in ten lines: a five, then an open four and so on, its own before the opponent's."""

from shisan.protocol import serve


def choose_move(position, turn):
    """Return the point that most is at stake on, the one nearest to the middle of those."""
    maps = [position.maps(side) for side in (position.side, position.side.other)]
    kinds = ("five", "open four", "four", "three", "two")
    x, y = position.rules.width // 2, position.rules.height // 2
    points = sorted(position.legal_points(), key=lambda p: (p[0] - x) ** 2 + (p[1] - y) ** 2)
    return max(points, key=lambda p: [p in found[kind] for kind in kinds for found in maps])


serve(choose_move, name="Ten lines")
