"""What an export will claim, in sentences with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.session.release_words import method_of, recoding_title
from anonymizer_gui.widgets.numbers import as_decimal, as_exact_count, as_percent

if TYPE_CHECKING:
    from engine.privacy import PrivacyModel
    from engine.recoding import Release


def claims_of(release: Release) -> list[tuple[str, str]]:
    """Pairs of name and statement, as the dialog lists them."""
    kept = release.n_records - release.n_suppressed
    limit = release.requirement.suppression_limit
    rows = [
        ("Records kept", f"{as_exact_count(kept)} of {as_exact_count(release.n_records)}"),
        (
            "Suppressed",
            f"{as_exact_count(release.n_suppressed)}, "
            f"at most {as_exact_count(release.requirement.allowed(release.n_records))} "
            f"({as_percent(limit)}) allowed",
        ),
        ("Smallest class (k)", "none kept" if release.k is None else as_exact_count(release.k)),
        ("Classes", as_exact_count(release.n_classes)),
    ]
    if release.recoding is not None:
        rows.append(("Levels", f"differ by record ({recoding_title(release)})"))
    return rows + [(_name_of(model), _statement(model)) for model in release.requirement.models]


def weakness_of(release: Release) -> str:
    """What somebody who knows the recoding method may conclude; empty where every column has one level."""
    method = method_of(release)
    return "" if method is None else f"Known weakness: {method.weakness}"


def _name_of(model: PrivacyModel) -> str:
    return f"{model.title}, {model.columns[0]}" if model.columns else model.title


def _statement(model: PrivacyModel) -> str:
    further = f" ({model.details})" if model.details else ""
    where = "of what is kept" if model.is_table_wide else "in every class"
    return f"{model.symbol} {model.relation.value} {model.limit:g} {where}{further}"


def verdict_text(measured: dict[str, object]) -> str:
    """The figures the verification found in the written file."""
    parts = []
    if measured.get("k") is not None:
        parts.append(f"k = {measured['k']}")
    for symbol in ("l", "t"):
        by_column = measured.get(symbol)
        if isinstance(by_column, dict):
            parts += [
                f"{symbol} of {column} = {as_decimal(value) if symbol == 't' else value}"
                for column, value in by_column.items()
                if value is not None
            ]
    for key in ("kept", "suppressed"):
        count = measured.get(key)
        if isinstance(count, int):
            parts.append(f"{as_exact_count(count)} {key}")
    return ", ".join(parts)
