"""Which original records a release without suppressed ones has."""

from __future__ import annotations

from engine.verification.claims import ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.words import _


def kept_places(claim: ReleaseClaim, n_records: int) -> list[int]:
    """Return the records claimed as kept; the comparison of cells then checks that claim."""
    given = list(claim.kept_records or ())
    if given != sorted(set(given)) or (given and not 0 <= given[0] <= given[-1] < n_records):
        raise UnverifiableError(_("The numbers of the kept records are not valid or not in order."))
    return given
