"""Which original records a release without suppressed ones has."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from engine.verification.cells import Paths, positions_in_original
from engine.verification.claims import ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.words import _


def kept_originals(
    claim: ReleaseClaim,
    original: pd.DataFrame,
    released: pd.DataFrame,
    suppressed: pd.Series[bool] | None,
    paths: Mapping[str, Paths],
) -> pd.DataFrame:
    """Return the original rows that a file without suppressed records is due to come from.

    Parameters
    ----------
    claim : ReleaseClaim
    original, released : DataFrame
    suppressed : Series of bool, or None
        None if levels differ by record.
    paths : mapping
        As of `engine.verification.cells.hierarchy_paths`.

    Raises
    ------
    UnverifiableError
        The records cannot be matched.
    """
    if suppressed is not None:
        return original[~suppressed]
    if claim.kept_records is not None:
        return original.take(_declared(claim.kept_records, len(original)))
    if claim.person or claim.weight:
        raise UnverifiableError(
            _(
                "Records were removed and levels vary by record, but the release does not "
                "state which records are kept. They cannot be matched with the original."
            )
        )
    return original.take(positions_in_original(claim, original, released, paths))


def _declared(records: tuple[int, ...], n_records: int) -> list[int]:
    """Return the records claimed as kept; the comparison of cells then checks that claim."""
    given = list(records)
    if given != sorted(set(given)) or (given and not 0 <= given[0] <= given[-1] < n_records):
        raise UnverifiableError(_("The numbers of the kept records are not valid or not in order."))
    return given
