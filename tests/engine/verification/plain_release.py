"""Small releases and their expected verification, counted in plain Python."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from engine.verification import Expected, ModelClaim, ReleaseClaim
from engine.verification.claims import Reading, UnchangedClaim

Rows = list[list[str]]


@dataclass(frozen=True)
class Recipe:
    """A table and what is to be done to it; `original` as it stands in the file."""

    names: tuple[str, ...]
    original: Rows
    quasi_identifying: tuple[str, ...]
    hierarchies: Mapping[str, Sequence[Sequence[str]]]
    node: Mapping[str, int]
    sensitive: tuple[str, ...] = ()
    models: tuple[ModelClaim, ...] = (ModelClaim("k_anonymity", {"k": 2}),)
    limit: str = "1"
    options: Mapping[str, Any] = field(default_factory=dict)  # further fields of ReleaseClaim, and `missing`


def write_csv(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    return path


def distance(values: Sequence[str], whole: Sequence[str], order: Sequence[str] | None) -> Fraction:
    """The definition, term by term: half the L1 distance, or the earth mover's over ranks."""
    inside, outside = Counter(values), Counter(whole)
    gaps = [
        Fraction(inside[v], len(values)) - Fraction(outside[v], len(whole)) for v in order or list(outside)
    ]
    if order is None:
        return sum(map(abs, gaps), Fraction(0)) / 2
    return sum((abs(sum(gaps[: i + 1], Fraction(0))) for i in range(len(gaps))), Fraction(0)) / max(
        1, len(order) - 1
    )


def tree_distance(values: Sequence[str], whole: Sequence[str], rows: Sequence[Sequence[str]]) -> Fraction:
    """Mean over the levels below the root of half the L1 distance; Li et al. 2007 put it edge by edge."""
    levels = list(zip(*rows, strict=True))
    below = levels[:-1] if len(set(levels[-1])) == 1 else levels
    maps = [dict(zip(levels[0], labels, strict=True)) for labels in below]
    halves = [distance([m[v] for v in values], [m[v] for v in whole], None) for m in maps]
    return sum(halves, Fraction(0)) / max(1, len(halves))


def psi(count: int) -> float:
    """Grassberger 2003: what takes the place of the logarithm of a count."""
    return -0.5772156649015329 - math.log(2) + sum(2 / (2 * k - 1) for k in range(1, count // 2 + 1))


def meets(
    model: ModelClaim,
    values: Mapping[str, list[str]],
    size: int,
    whole: Mapping[str, list[str]],
    orders: Any,
    hierarchies: Mapping[str, Sequence[Sequence[str]]],
) -> bool:
    typed = model.parameters
    if model.key == "k_anonymity":
        return size >= int(typed["k"])
    column = typed["column"]
    inside, outside, n = Counter(values[column]), Counter(whole[column]), len(whole[column])
    counts = sorted(inside.values(), reverse=True)
    gains = {v: Fraction(c * n, size * outside[v]) - 1 for v, c in inside.items()}
    match model.key:
        case "alpha_k_anonymity":
            return size >= int(typed["k"]) and Fraction(counts[0], size) <= Fraction(str(typed["alpha"]))
        case "distinct_l_diversity":
            return len(inside) >= int(typed["l"])
        case "entropy_l_diversity" if typed["estimator"] == "shannon":
            entropy = sum(c / size * math.log(size / c) for c in counts)
            return math.exp(entropy) >= float(typed["l"]) * (1 - 1e-9)
        case "entropy_l_diversity":
            entropy = psi(size) - sum(c / size * psi(c) for c in counts)
            return min(math.exp(entropy), len(inside)) >= float(typed["l"]) * (1 - 1e-9)
        case "recursive_c_l_diversity":
            return counts[0] < Fraction(str(typed["c"])) * sum(counts[int(typed["l"]) - 1 :])
        case "t_closeness" if typed["distance"] == "hierarchical":
            found = tree_distance(values[column], whole[column], hierarchies[column])
            return found <= Fraction(str(typed["t"]))
        case "t_closeness":
            order = orders[column] if typed["distance"] == "ordered" else None
            return distance(values[column], whole[column], order) <= Fraction(str(typed["t"]))
        case "basic_beta_likeness":
            return max(gains.values()) <= Fraction(str(typed["beta"]))
        case "enhanced_beta_likeness":
            beta, caps = Fraction(str(typed["beta"])), {v: -math.log(outside[v] / n) for v in inside}
            return all(gain <= beta and gain <= caps[v] * (1 + 1e-12) for v, gain in gains.items())
    assert model.key == "delta_disclosure"
    far = max(abs(math.log(float(gain + 1))) for gain in gains.values())
    return len(inside) == len(outside) and far <= float(typed["delta"]) * (1 + 1e-12)


def release(recipe: Recipe) -> tuple[tuple[str, ...], Rows, Expected]:
    """Names, rows and figures of the release."""
    options, names = recipe.options, recipe.names
    missing = options.get("missing", ("",))
    rows = [[missing[0] if cell in missing else cell for cell in row] for row in recipe.original]
    whole = {name: [row[names.index(name)] for row in rows] for name in recipe.sensitive}
    labels = {
        name: {line[0]: line[recipe.node[name]] for line in recipe.hierarchies[name]}
        for name in recipe.quasi_identifying
    }
    general = [
        [labels[n][cell] if n in labels else cell for n, cell in zip(names, row, strict=True)] for row in rows
    ]
    members: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, row in enumerate(general):
        members[tuple(row[names.index(name)] for name in recipe.quasi_identifying)].append(number)
    orders = options.get("order_types", {})
    kept = {}
    for label, numbers in members.items():
        values = {name: [whole[name][i] for i in numbers] for name in recipe.sensitive}
        hierarchies = recipe.hierarchies
        if all(meets(model, values, len(numbers), whole, orders, hierarchies) for model in recipe.models):
            kept[label] = values
    hidden = {i for label, numbers in members.items() if label not in kept for i in numbers}
    stars = {i for label, numbers in members.items() if set(label) == {"*"} for i in numbers}
    group: dict[str, Any] = {}
    if hidden:
        inside = sorted(hidden | stars)
        own = {name: [whole[name][i] for i in inside] for name in recipe.sensitive}
        group = {
            "records": len(inside),
            "k": len(inside),
            "l": {name: len(set(values)) for name, values in own.items()},
            "t": {n: float(distance(v, whole[n], orders.get(n))) for n, v in own.items()},
            "held": all(
                meets(model, own, len(inside), whole, orders, recipe.hierarchies) for model in recipe.models
            ),
        }
    released = []
    for number, row in enumerate(general):
        if number in hidden and options.get("suppressed_records") == "remove":
            continue
        cells = []
        for name, cell in zip(names, row, strict=True):
            if name in options.get("identifying", ()):
                if options.get("identifying_rule") == "drop":
                    continue
                cell = "*"
            elif number in hidden and (name in labels or is_blank(options, group)):
                cell = "*"
            cells.append(cell)
        released.append(cells)
    dropped = options.get("identifying", ()) if options.get("identifying_rule") == "drop" else ()
    left = [name for name in names if name not in dropped]
    others = [
        n for n in left if n not in recipe.quasi_identifying and n not in options.get("identifying", ())
    ]
    sizes = [len(members[label]) for label in kept]
    expected = Expected(
        records=len(rows),
        kept=len(rows) - len(hidden),
        suppressed=len(hidden),
        classes=len(kept),
        k=min(sizes, default=None),
        l={n: min((len(set(v[n])) for v in kept.values()), default=None) for n in recipe.sensitive},
        t={
            n: max((float(distance(v[n], whole[n], orders.get(n))) for v in kept.values()), default=None)
            for n in recipe.sensitive
        },
        unchanged=UnchangedClaim(
            {name: singled_out(left, released, [name]) for name in others},
            singled_out(left, released, others),
            singled_out(left, released, [*others, *recipe.quasi_identifying]),
        ),
        group=group,
    )
    return tuple(left), released, expected


def is_blank(options: Mapping[str, Any], group: Mapping[str, Any]) -> bool:
    """Whether suppressed records have `*` in all columns: as asked, or as their own class fails."""
    if options.get("suppressed_group", "") in ("if_held", "hold"):
        return bool(group) and not group["held"]
    return bool(options.get("blank_suppressed"))


def singled_out(names: Sequence[str], rows: Rows, columns: Sequence[str]) -> int:
    """Rows with cells in some columns that no other row has."""
    taken = Counter(tuple(row[names.index(name)] for name in columns) for row in rows)
    return sum(count == 1 for count in taken.values()) if columns else 0


def write_release(recipe: Recipe, folder: Path) -> ReleaseClaim:
    """Write both files; the claim that is true of them."""
    names, released, expected = release(recipe)
    options = dict(recipe.options)
    missing = options.pop("missing", ("",))
    options["blank_suppressed"] = is_blank(recipe.options, expected.group or {})
    return ReleaseClaim(
        original=Reading(write_csv(folder / "original.csv", recipe.names, recipe.original), missing=missing),
        released=Reading(write_csv(folder / "released.csv", names, released), format="csv"),
        expected=expected,
        quasi_identifying=recipe.quasi_identifying,
        hierarchies=recipe.hierarchies,
        node=recipe.node,
        sensitive=recipe.sensitive,
        models=recipe.models,
        suppression_limit=recipe.limit,
        **options,
    )


def read_rows(claim: ReleaseClaim) -> Rows:
    """The released file, header included."""
    with claim.released.path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def with_rows(claim: ReleaseClaim, rows: Rows) -> ReleaseClaim:
    """The same claim of a released file that holds other rows."""
    path = claim.released.path.with_name("altered.csv")
    write_csv(path, rows[0], rows[1:])
    return released_as(claim, path=path)


def released_as(claim: ReleaseClaim, **read: Any) -> ReleaseClaim:
    """The same claim of another released file, or of one that is read otherwise."""
    return dataclasses.replace(claim, released=dataclasses.replace(claim.released, **read))


def of_original(claim: ReleaseClaim, **read: Any) -> ReleaseClaim:
    """The same claim about an original that is read otherwise."""
    return dataclasses.replace(claim, original=dataclasses.replace(claim.original, **read))


def with_expected(claim: ReleaseClaim, **figures: Any) -> ReleaseClaim:
    """The same release with other figures claimed."""
    return dataclasses.replace(claim, expected=dataclasses.replace(claim.expected, **figures))
