"""Fit the network of the static value to labelled games, and write it as integers.

    python -m shisan.scripts.fit DATA_FOLDER [--rule NETWORK]... [--seed N] [--out engine/weights]

docs/evaluation.md says what the data must look like, what is fitted and what came of it. Each
network is trained in floating point with numpy, rounded to the integers that engine/evaluate.pyx
computes with, held bit for bit against it, and measured on games kept apart by their opening.
"""

import argparse
import gzip
import json
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

from shisan.engine import Colour, Position, Rules
from shisan.engine.kernel import load

for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # one core, and sums in the same order every time
try:
    np: Any = import_module("numpy")
except ImportError:  # nothing else in the project needs it
    np = None

Array = Any  # of numpy
Weights = dict[str, Any]

RULES: Final = {0: Rules.freestyle, 1: Rules.standard, 4: Rules.renju}
"""The rules of labelled games, by the numbers of the protocol."""

NETWORKS: Final = {
    "freestyle": (0, None),
    "standard": (1, None),
    "renju_black": (4, Colour.BLACK),
    "renju_white": (4, Colour.WHITE),
}
"""What each network is for: the rule, and who is to move if that matters."""

HIDDEN: Final = 32
MOST: Final = 40
"""The engine cuts counts here."""
ONE: Final = 64
"""What a weight of 1 becomes: the network shifts by 6 bits."""
CEILING: Final = 2047
UNIT: Final = 200
"""The value at which the side to move wins e times as often as it loses."""
PROVEN: Final = 29000
"""Labels beyond this are proven results."""
LARGEST: Final = 10000
TEACHER: Final = "Rapfi 0.43 classical (model220723), about 4,000 nodes a move"
DATE: Final = "2026-11-30"
FOLDS: Final = 10
VCF_NODES: Final = 300
"""The search looks for a win by continuous fours before it asks for a static value."""


# Reading games


@dataclass(frozen=True)
class Samples:
    """Positions to learn from, one a row.

    inputs: those of the network, uint8; score: of the labels, int16; result: of the game for the
    side to move, 1, 0 or -1, int8; black: whether Black is to move; fold: 0..FOLDS - 1, the same
    for all games of an opening; sharp: someone can make a five, or the side to move wins by
    continuous fours, so that nobody asks for a static value.
    """

    inputs: Array
    score: Array
    result: Array
    black: Array
    fold: Array
    sharp: Array

    def where(self, mask: Array) -> "Samples":
        """Some of the rows."""
        return Samples(*(getattr(self, name)[mask] for name in FIELDS))

    def __len__(self) -> int:
        return len(self.score)


FIELDS: Final = ("inputs", "score", "result", "black", "fold", "sharp")


def fold_of(size: int, opening: Sequence[Sequence[int]]) -> int:
    """The fold of an opening: equal for all openings that are turned or mirrored into it."""
    forms = []
    for turn in range(8):
        points = [(x, y) if turn & 1 else (size - 1 - x, y) for x, y in opening]
        points = [(x, y) if turn & 2 else (x, size - 1 - y) for x, y in points]
        points = [(x, y) if turn & 4 else (y, x) for x, y in points]
        forms.append((sorted(points[::2]), sorted(points[1::2])))
    return int.from_bytes(sha256(json.dumps(min(forms)).encode()).digest()[:4], "big") % FOLDS


def positions_of(game: dict[str, Any]) -> Iterator[tuple[Position, int]]:
    """The labelled positions of a game, each with its score; the same object every time."""
    rules = RULES[game["rule"]](game["size"])
    stones = [(x, y, Colour(i % 2)) for i, (x, y) in enumerate(game["opening"])]
    position = Position.set_up(rules, stones, Colour(len(stones) % 2))
    for x, y, score in game["moves"]:
        yield position, score
        position.play(x, y)


def black_won(game: dict[str, Any]) -> int:
    """How a game ended for Black, 1, 0 or -1, by its last label: proven, or else a draw.

    What the record itself says is not used: in the labelled games of Rapfi it is wrong in two of
    five, as their last labels show.
    """
    score = game["moves"][-1][2]
    black_to_move = (len(game["opening"]) + len(game["moves"])) % 2 == 1
    return 0 if abs(score) <= PROVEN else 1 if (score > 0) == black_to_move else -1


def is_sharp(position: Position, solver: Any) -> bool:
    """Whether a search would decide this position by fours rather than value it."""
    if position.maps(position.side.other)["five"] or position.maps(position.side)["five"]:
        return True
    return bool(solver.solve(position, VCF_NODES))


def read_games(path: Path) -> list[dict[str, Any]]:
    """The games of a compressed JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def samples_of(games: Sequence[dict[str, Any]], name: str) -> Samples:
    """Every labelled position of these games."""
    inputs_of, solver = load("evaluate").inputs_of, load("threats").VcfSolver()
    rows: list[list[int]] = []
    facts: list[tuple[int, int, bool, int, bool]] = []
    for number, game in enumerate(games):
        if number % 100 == 0:
            progress(f"{name}: game {number} of {len(games)}")
        fold = fold_of(game["size"], game["opening"])
        won = black_won(game)
        for position, score in positions_of(game):
            rows.append(inputs_of(position))
            black = position.side == Colour.BLACK
            result = won if black else -won
            facts.append((score, result, black, fold, is_sharp(position, solver)))
    scores, results, blacks, folds, sharps = zip(*facts, strict=True)
    return Samples(
        np.array(rows, np.uint8),
        np.array(scores, np.int16),
        np.array(results, np.int8),
        np.array(blacks, bool),
        np.array(folds, np.uint8),
        np.array(sharps, bool),
    )


def read(path: Path, cache: Path | None) -> Samples:
    """The samples of a file of games, from the cache if this engine read this file before."""
    games = read_games(path)
    if cache is None:
        return samples_of(games, path.name)
    few = samples_of(games[:20], path.name)
    print_of = sha256(path.read_bytes() + few.inputs.tobytes() + few.sharp.tobytes())
    stored = cache / f"{path.name.split('.')[0]}-{print_of.hexdigest()[:12]}.npz"
    if stored.exists():
        with np.load(stored) as file:
            return Samples(*(file[name] for name in FIELDS))
    samples = samples_of(games, path.name)
    cache.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(stored, **{name: getattr(samples, name) for name in FIELDS})
    return samples


def progress(text: str) -> None:
    """Overwrite the line on stderr that says how far the work is, if anyone is looking."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


# Training


def sigmoid(logits: Array) -> Array:
    """The chance of winning."""
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40)))


def targets(samples: Samples, share: float) -> Array:
    """The chance of winning of the side to move: a share of its label's, the rest as it ended."""
    chance = sigmoid(samples.score.astype(np.float32) / UNIT)
    ended = (samples.result.astype(np.float32) + 1) / 2
    return share * chance + (1 - share) * ended


def loss(chance: Array, target: Array) -> float:
    """The mean cross-entropy in nats."""
    p = np.clip(np.asarray(chance, np.float64), 1e-7, 1 - 1e-7)
    return float(-np.mean(target * np.log(p) + (1 - target) * np.log(1 - p)))


@dataclass(frozen=True)
class Plan:
    """How to train: times through the data, largest step, samples a step, weight decay a step."""

    epochs: int
    rate: float
    batch: int
    decay: float = 1e-5


BROAD: Final = Plan(epochs=30, rate=5e-3, batch=1024)
"""First the positions of every rule; there are few of renju, and much is common to all."""
OWN: Final = Plan(epochs=40, rate=1e-3, batch=512)
"""Then the network's own positions."""


Layers = list[Array]
"""Weights and biases, first to third: (inputs, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), ..."""


def forward(layers: Layers, x: Array) -> tuple[Array, Array, Array]:
    """The activations of both hidden layers and the logit, in floating point."""
    first, first_bias, second, second_bias, third, third_bias = layers
    a = np.maximum(x @ first + first_bias, 0)
    b = np.maximum(a @ second + second_bias, 0)
    return a, b, b @ third + third_bias


def gradients(layers: Layers, x: Array, target: Array) -> Layers:
    """The derivatives of the mean loss of a batch by every weight."""
    a, b, logit = forward(layers, x)
    error = (sigmoid(logit) - target) / np.float32(len(x))
    back_b = error[:, None] * layers[4] * (b > 0)
    back_a = (back_b @ layers[2].T) * (a > 0)
    return [x.T @ back_a, back_a.sum(0), a.T @ back_b, back_b.sum(0), error @ b, error.sum()[None]]


def beginning(generator: Any, deviation: Array) -> Layers:
    """Random weights to begin with; none for an input that never varies."""
    shapes = [(len(deviation), HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN,), (1,)]
    used = np.count_nonzero(deviation)
    spread = [(2 / used) ** 0.5, 0, (2 / HIDDEN) ** 0.5, 0, (1 / HIDDEN) ** 0.5, 0]
    layers = [
        generator.normal(0, size, shape).astype(np.float32)
        for shape, size in zip(shapes, spread, strict=True)
    ]
    layers[0][deviation == 0] = 0
    return layers


def train(
    samples: Samples, target: Array, plan: Plan, seed: int, name: str, layers: Layers | None = None
) -> Layers:
    """Adam on shuffled batches, the step falling to zero along a cosine.

    layers: where to begin, for plain counts; random without. Returns weights for plain counts.
    """
    generator = np.random.default_rng(seed)
    deviation = samples.inputs.std(0).astype(np.float32)
    scale = np.maximum(deviation, np.float32(0.2))  # rare counts learn slowly, not wildly
    inputs = samples.inputs / scale
    if layers is None:
        layers = beginning(generator, deviation)
    else:
        layers = [layers[0] * scale[:, None], *(layer.copy() for layer in layers[1:])]
    mean = [np.zeros_like(layer) for layer in layers]
    square = [np.zeros_like(layer) for layer in layers]
    steps = plan.epochs * (len(samples) // plan.batch)
    step = 0
    for epoch in range(plan.epochs):
        order = generator.permutation(len(samples))
        progress(f"{name}: epoch {epoch + 1} of {plan.epochs}")
        for begin in range(0, len(order) - plan.batch + 1, plan.batch):
            rows = order[begin : begin + plan.batch]
            step += 1
            rate = plan.rate * 0.5 * (1 + np.cos(np.pi * step / steps)) * min(1, step / 200)
            slopes = gradients(layers, inputs[rows], target[rows])
            for i, slope in enumerate(slopes):
                mean[i] += np.float32(0.1) * (slope - mean[i])
                square[i] += np.float32(0.001) * (slope * slope - square[i])
                size = mean[i] / np.float32(1 - 0.9**step)
                size /= np.sqrt(square[i] / np.float32(1 - 0.999**step)) + np.float32(1e-8)
                if layers[i].ndim == 2:
                    size += np.float32(plan.decay / plan.rate) * layers[i]
                layers[i] -= np.float32(rate) * size
    return [layers[0] / scale[:, None], *layers[1:]]


# Integers


def quantise(layers: Layers, inputs: Array) -> Weights:
    """The layers as the integers of engine/evaluate.pyx.

    Each hidden unit gets the scale at which its largest activation on these inputs comes just
    below CEILING, within what 16 bits of weight allow: a unit's output times a factor, and the
    weights that read it divided by it, are the same network. Rare larger activations are cut.
    """
    first, first_bias, second, second_bias, third, third_bias = (
        np.asarray(layer, np.float64) for layer in layers
    )
    a, b, _ = forward(layers, inputs.astype(np.float32))
    reach_a, reach_b = (np.maximum(np.percentile(act, 99.99, axis=0), 1e-3) for act in (a, b))
    scale_a = np.minimum(0.9 * CEILING / reach_a, 30000 / np.maximum(abs(first).max(0), 1e-9))
    scale_b = 0.9 * CEILING / reach_b
    most = (abs(second) * (ONE / scale_a[:, None])).max(0)
    scale_b = np.minimum(scale_b, 30000 / np.maximum(most, 1e-9))

    def whole(numbers: Array) -> list[Any]:
        rounded: list[Any] = np.rint(numbers).astype(np.int64).tolist()
        return rounded

    return {
        "first": whole((first * scale_a).T),
        "first_bias": whole(first_bias * scale_a),
        "second": whole((second * ONE * scale_b / scale_a[:, None]).T),
        "second_bias": whole(second_bias * ONE * scale_b),
        "third": whole(third * ONE * UNIT / scale_b),
        "third_bias": int(np.rint(third_bias[0] * ONE * UNIT)),
    }


def check_range(weights: Weights) -> None:
    """Hold the weights against 16 bits, and every sum that can occur against 32."""
    first, second, third = (abs(np.array(weights[name])) for name in ("first", "second", "third"))
    assert max(first.max(), second.max(), third.max()) < 1 << 15
    biases = [abs(np.array(weights[name])) for name in ("first_bias", "second_bias", "third_bias")]
    sums = [
        first.sum(1) * MOST + biases[0],
        second.sum(1) * CEILING + biases[1],
        third.sum() * CEILING + biases[2],
    ]
    assert max(int(total.max()) for total in sums) < 1 << 31


def values(weights: Weights, inputs: Array) -> Array:
    """The values that engine/evaluate.pyx gives these inputs, in integers."""
    number = {name: np.array(part, np.int64) for name, part in weights.items()}
    x = inputs.astype(np.int64)
    a = np.clip(x @ number["first"].T + number["first_bias"], 0, CEILING)
    b = np.clip((a @ number["second"].T + number["second_bias"]) >> 6, 0, CEILING)
    return np.clip((b @ number["third"] + number["third_bias"]) >> 6, -LARGEST, LARGEST)


def check_values(weights: Weights, inputs: Array, seed: int) -> int:
    """Hold values against the engine on these and on random inputs; return how many were equal."""
    value_of = load("evaluate").value_of
    random = Random(seed)
    rows = [inputs[random.randrange(len(inputs))].tolist() for _ in range(5000)]
    rows += [[random.randint(0, MOST) for _ in rows[0]] for _ in range(1000)]
    for row, value in zip(rows, values(weights, np.array(rows)).tolist(), strict=True):
        if value_of(weights, row) != value:
            raise AssertionError(f"inputs {row}: {value_of(weights, row)}, not {value}")
    return len(rows)


def checksum(weights: Weights) -> int:
    """CRC-32 of the weights alone, as JSON without blanks and with sorted names."""
    bare = {name: part for name, part in weights.items() if name not in ("manifest", "checksum")}
    return zlib.crc32(json.dumps(bare, sort_keys=True, separators=(",", ":")).encode())


# One network


@dataclass(frozen=True)
class Fitted:
    """A network, and how well it does."""

    seed: int
    weights: Weights
    figures: dict[str, Any]


def measure(chance: Array, target: Array) -> dict[str, float]:
    """Cross-entropy and correlation of chances with their targets."""
    constant = float(np.std(chance)) == 0
    correlation = 0.0 if constant else float(np.corrcoef(chance, target)[0, 1])
    return {"loss": round(loss(chance, target), 4), "correlation": round(correlation, 4)}


def report(
    samples: dict[str, Samples], share: float, layers: Layers, weights: Weights
) -> dict[str, Any]:
    """Measure a network on each set of samples: a constant, in floating point, in integers."""
    middle = float(np.mean(targets(samples["train"], share)))
    found: dict[str, Any] = {}
    for name, part in samples.items():
        x, target = part.inputs.astype(np.float32), targets(part, share)
        found[name] = {
            "positions": len(part),
            "floor": round(loss(target, target), 4),
            "constant": measure(np.full(len(part), middle), target),
            "float": measure(sigmoid(forward(layers, x)[2]), target),
            "integer": measure(sigmoid(values(weights, part.inputs) / UNIT), target),
        }
    return found


def choose(everything: dict[int, Samples], name: str) -> Samples:
    """The quiet positions that a network is for."""
    rule, side = NETWORKS[name]
    samples = everything[rule]
    keep = ~samples.sharp
    if side is not None:
        keep &= samples.black == (side == Colour.BLACK)
    return samples.where(keep)


def parts_of(samples: Samples) -> dict[str, Samples]:
    """What is learned from, and what is kept apart to measure."""
    return {
        "train": samples.where(samples.fold != 0),
        "validation": samples.where(samples.fold == 0),
    }


def joined(parts: Sequence[Samples]) -> Samples:
    """All rows of several samples."""
    return Samples(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))


def fit(
    samples: Samples, share: float, base: Layers, plan: Plan, seeds: Sequence[int], name: str
) -> Fitted:
    """Train a network from the base on, with each seed; return the one that does best."""
    parts = parts_of(samples)
    train_part = parts["train"]
    target = targets(train_part, share)
    fitted = []
    for seed in seeds:
        layers = train(train_part, target, plan, seed, f"{name}, seed {seed}", base)
        weights = quantise(layers, train_part.inputs)
        check_range(weights)
        check_values(weights, samples.inputs, seed)
        fitted.append(Fitted(seed, weights, report(parts, share, layers, weights)))
    return min(fitted, key=lambda one: one.figures["validation"]["integer"]["loss"])


def write(path: Path, weights: Weights, manifest: dict[str, Any]) -> None:
    """Write a network, one layer a line."""
    content = {"manifest": manifest, **weights, "checksum": checksum(weights)}
    lines = [
        f"{json.dumps(name)}: {json.dumps(part, separators=(',', ':'))}"
        for name, part in content.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def arguments_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What the command was told."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder of labelled games, *.jsonl.gz")
    parser.add_argument(
        "--rule", action="append", choices=NETWORKS, help="a network to fit (default: all)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything random (default: 1)")
    parser.add_argument(
        "--tries", type=int, default=2, help="seeds to try; the best is kept (default: 2)"
    )
    parser.add_argument(
        "--epochs", type=int, default=OWN.epochs, help=f"of the last step (default: {OWN.epochs})"
    )
    parser.add_argument(
        "--score-share",
        type=float,
        default=1.0,
        help="of a target, what its label says; the rest is how the game ended (default: 1)",
    )
    parser.add_argument("--out", type=Path, default=Path("engine/weights"), help="folder to write")
    parser.add_argument("--cache", type=Path, help="folder to keep the inputs of the games in")
    parser.add_argument("--teacher", default=TEACHER, help="who labelled the games, for the record")
    parser.add_argument("--date", default=DATE, help="for the record")
    options = parser.parse_args(arguments)
    if np is None:
        parser.error("this needs numpy: pip install numpy")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    options = arguments_of(arguments)
    files: dict[int, list[Path]] = {rule: [] for rule in RULES}
    for path in sorted(options.data.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            files[json.loads(file.readline())["rule"]].append(path)
    names = list(dict.fromkeys(options.rule or NETWORKS))
    missing = [name for name in names if not files[NETWORKS[name][0]]]
    if missing:
        print(f"fit: {options.data} has no games for {', '.join(missing)}", file=sys.stderr)
        return 1
    everything = {
        rule: joined([read(path, options.cache) for path in paths])
        for rule, paths in files.items()
        if paths
    }
    quiet = joined([samples.where(~samples.sharp) for samples in everything.values()])
    broad = parts_of(quiet)["train"]
    base = train(broad, targets(broad, options.score_share), BROAD, options.seed, "all rules")
    plan = replace(OWN, epochs=options.epochs)
    seeds = range(options.seed, options.seed + options.tries)
    for name in names:
        samples = choose(everything, name)
        best = fit(samples, options.score_share, base, plan, seeds, name)
        own = files[NETWORKS[name][0]]
        manifest = {
            "data": {path.name: sha256(path.read_bytes()).hexdigest() for path in own},
            "base_data": [path.name for paths in files.values() for path in paths],
            "positions": len(samples),
            "score_share": options.score_share,
            "seed": best.seed,
            "base_seed": options.seed,
            "date": options.date,
            "teacher": options.teacher,
            "validation_loss": best.figures["validation"],
            "train_loss": best.figures["train"],
        }
        write(options.out / f"{name}.json", best.weights, manifest)
        progress("")
        print(f"{name}: {json.dumps(best.figures)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
