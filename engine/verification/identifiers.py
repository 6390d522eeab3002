"""Expected cells of identifying columns by rule, computed without the program's code."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.verification.claims import IdentifierClaim, ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.random_order import drawn_order
from engine.words import _

DROP, STAR = "drop", "star"


def rule_of(claim: ReleaseClaim, name: str) -> IdentifierClaim:
    """Return the rule of an identifying column."""
    return claim.identifiers.get(name, IdentifierClaim(claim.identifying_rule))


def dropped_columns(claim: ReleaseClaim) -> tuple[str, ...]:
    """Return the columns that the release drops."""
    return tuple(name for name in claim.identifying if rule_of(claim, name).rule == DROP)


def due_texts(
    rule: IdentifierClaim, values: Sequence[str], missing: str | None, start: Callable[[], int]
) -> dict[str, str]:
    """Return the expected text of each value of an identifying column.

    Parameters
    ----------
    rule : IdentifierClaim
    values : sequence of str
        Distinct texts of the original.
    missing : str or None
        Text of the missing value.
    start : callable
        Returns the start of random drawing.

    Raises
    ------
    UnverifiableError
        If the rule is unknown, or cannot be applied.
    """
    if rule.rule == STAR:
        return dict.fromkeys(values, "*")
    if rule.rule == "constant":
        return dict.fromkeys(values, str(rule.parameters["text"]))
    present = [value for value in values if value != missing]
    if rule.rule == "pseudonym":
        due = _numbered(rule.parameters, present, start())
    elif rule.rule == "keyed_hash":
        key = _key(rule.parameters.get("key_file"))
        length = int(rule.parameters["length"])
        due = {
            value: hmac.digest(key, value.encode("utf-8"), hashlib.sha256).hex()[:length] for value in present
        }
        if len(set(due.values())) < len(due):
            raise UnverifiableError(_("Two values of an identifying column have the same code."))
    elif rule.rule == "mask":
        due = {value: _masked(rule.parameters, value) for value in present}
    else:
        raise UnverifiableError(_("Unknown rule '{rule}' for identifying columns.").format(rule=rule.rule))
    return due if missing is None else {**due, missing: missing}


def _numbered(parameters: Mapping[str, Any], values: Sequence[str], start: int) -> dict[str, str]:
    ordered = sorted(values)
    width = max(int(parameters["digits"]), len(str(len(values))))
    prefix = str(parameters["prefix"])
    return {
        ordered[place]: prefix + str(number).zfill(width)
        for number, place in enumerate(drawn_order(len(ordered), start), start=1)
    }


def _masked(parameters: Mapping[str, Any], value: str) -> str:
    first, last = int(parameters["keep_first"]), int(parameters["keep_last"])
    character, fixed = str(parameters["character"]), int(parameters["length"])
    if len(value) <= first + last:
        return character * (fixed or len(value))
    middle = character * (fixed or len(value) - first - last)
    return "".join((*value[:first], middle, *(value[-last:] if last else "")))


def _key(path: str | None) -> bytes:
    try:
        with open(path or "", "rb") as file:
            key = file.read().rstrip(b"\r\n")
    except OSError as error:
        raise UnverifiableError(
            _("The key of an identifying column cannot be read: {strerror}.").format(strerror=error.strerror)
        ) from None
    if len(key) < 32:
        raise UnverifiableError(_("The key of an identifying column is shorter than 32 bytes."))
    return key
