"""Names that SPSS and Stata allow for the columns of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.table.options import SPSS, STATA

_OTHERS = {SPSS: re.compile(r"[^\w.]"), STATA: re.compile(r"\W")}
_LONGEST = {SPSS: 64, STATA: 32}  # bytes, so that either way of counting is met
_RESERVED = {
    SPSS: re.compile("all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with"),
    STATA: re.compile(
        "_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_pi|_pred|_rc|_skip|str[0-9]*|strl|using|with"
    ),
}


def variable_names(names: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return the names under which columns are written: their own where the program allows it.

    Other characters become `_`; a name that is too long, reserved or taken gets another end.

    Parameters
    ----------
    names : sequence of str
        All different.
    kind : str
        The format; formats other than those of SPSS and Stata allow all names.
    """
    if kind not in _OTHERS:
        return tuple(names)
    plain = [_plain(name, kind) for name in names]
    taken = {own.lower() for own, name in zip(plain, names, strict=True) if own == name}
    found: list[str] = []
    used: set[str] = set()
    for own, name in zip(plain, names, strict=True):
        free, number = own, 1
        while free.lower() in used or (free != name and free.lower() in taken):
            number += 1
            end = f"_{number}"
            free = _cut(own, _LONGEST[kind] - len(end)) + end
        used.add(free.lower())
        found.append(free)
    return tuple(found)


def _plain(name: str, kind: str) -> str:
    own = _OTHERS[kind].sub("_", name)
    if not own[:1].isalpha() and (kind == SPSS or not own.startswith("_")):
        own = f"v{own}" if own.startswith("_") else f"v_{own}"
    own = _cut(own, _LONGEST[kind]).rstrip(".")
    return f"{own}_" if _RESERVED[kind].fullmatch(own.lower()) else own


def _cut(name: str, n_bytes: int) -> str:
    return name.encode("utf-8")[:n_bytes].decode("utf-8", "ignore")
