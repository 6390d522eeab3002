"""What rules write, from their definitions, record by record in plain Python."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from typing import Any

ROUNDINGS = {"half_even": ROUND_HALF_EVEN, "half_up": ROUND_HALF_UP, "down": ROUND_DOWN}


def offset(key: bytes, person: str, days: int, skip_zero: bool) -> int:
    span = 2 * days + (0 if skip_zero else 1)
    for counter in range(1000):
        mac = hmac.new(key, (person + "\0" + str(counter)).encode(), hashlib.sha256).digest()
        value = int.from_bytes(mac[:8], "big")
        if value < 2**64 // span * span:
            found = value % span - days
            return found + 1 if skip_zero and found >= 0 else found
    raise AssertionError("a thousand numbers were too large")


def shifted(text: str, written: str, days: int) -> str:
    moment = datetime.strptime(text, written) + timedelta(days=days)
    return moment.strftime(written.replace("%Y", f"{moment.year:04d}"))


def plain(number: Decimal, mark: str) -> str:
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return ("0" if text == "-0" else text).replace(".", mark)


def rounded(text: str, base: str, mode: str, mark: str = ".") -> str:
    with localcontext() as context:
        context.prec = 400
        number = Decimal(text.replace(mark, "."))
        multiple = (number / Decimal(base)).quantize(Decimal(1), rounding=ROUNDINGS[mode])
        return plain(multiple * Decimal(base), mark)


def coded(text: str, limit: str, sign: str, written: str, mark: str = ".") -> str:
    number, end = Decimal(text.replace(mark, ".")), Decimal(limit)
    is_beyond = number > end if sign == ">=" else number < end
    if written == "label":
        return f"{sign} {plain(end, mark)}" if is_beyond or number == end else text
    return plain(end, mark) if is_beyond else text


def released(
    cells: Sequence[str], rule: str, values: Mapping[str, Any], persons: Sequence[str], key: bytes
) -> list[str] | None:
    """The cells of a column; a missing one is empty, numbers have a point, dates are ISO 8601."""
    if rule == "drop":
        return None
    found = []
    for cell, person in zip(cells, persons, strict=True):
        if rule in ("star", "constant"):
            found.append("*" if rule == "star" else values["text"])
        elif not cell:
            found.append("")
        elif rule == "round":
            found.append(rounded(cell, repr(values["base"]), values["mode"]))
        elif rule in ("top_code", "bottom_code"):
            sign = ">=" if rule == "top_code" else "<="
            found.append(coded(cell, repr(values["limit"]), sign, values["written"]))
        elif rule == "date_shift":
            days = offset(key, person, values["days"], values["skip_zero"])
            found.append(shifted(cell, "%Y-%m-%d", days))
        else:
            assert rule == "none"
            found.append(cell)
    return found
