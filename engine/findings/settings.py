"""Settings of a report."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from engine.errors import ParameterError, nearest
from engine.params import Choice, Configurable, Integer, Real, Text, param
from engine.words import N_, _, language_in_use, languages

INTERNAL, PUBLIC = "internal", "public"
REPORT = "report"
FORMS = (
    (REPORT, N_("Release report")),
    ("hipaa", N_("HIPAA expert determination")),
    ("ema", N_("EMA Policy 0070 and Health Canada PRCI anonymisation report")),
    ("iso27559", N_("ISO/IEC 27559 de-identification framework")),
    ("nist800188", N_("NIST SP 800-188 de-identification")),
    ("ico", N_("ICO anonymisation guidance")),
    ("edpb", N_("EDPB guidelines on pseudonymisation")),
    ("dpia", N_("Annex of a data protection impact assessment")),
)
SMALL_COUNT = 5  # smaller counts of people are withheld from the public
ACCEPTED_RISK = 0.2  # classes of five


def now_or_fixed() -> datetime:
    """Return the date for written files: SOURCE_DATE_EPOCH if it is set, else now; UTC."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit():
        try:
            return datetime.fromtimestamp(int(given), UTC)
        except (ValueError, OSError, OverflowError):
            pass
    return datetime.now(UTC).replace(microsecond=0)


def _text(label: str, meaning: str, placeholder: str) -> Any:
    return param("", Text(label=label, help=meaning, placeholder=placeholder, is_option=True))


@dataclass(frozen=True)
class ReportSettings(Configurable):
    """Settings of a report.

    Attributes
    ----------
    purpose, recipient, author : str
        Purpose and recipient of the release, and person responsible for the report.
    form : str
        "report", or the key of the outline of a de-identification statement.
    audience : str
        "internal" or "public".
    threshold : int
        Counts of fewer people than these are withheld from the public, at least 2.
    accepted_risk : float
        Records with a re-identification risk above this one are at risk.
    paper : str
        "a4" or "letter", of a PDF.
    date : datetime, optional
        By default that of `now_or_fixed`.
    language : str
        Code of a language with a catalogue, by default that of the program. Use English for JSON.

    Raises
    ------
    ParameterError
    """

    purpose: str = _text(
        N_("Purpose"), N_("Purpose of the release, for the report."), N_("Purpose of the release")
    )
    recipient: str = _text(
        N_("Recipient"), N_("Recipient of the table, for the report."), N_("Recipient of the release")
    )
    author: str = _text(
        N_("Prepared by"),
        N_("Person responsible for the release, for the report."),
        N_("Person responsible"),
    )
    form: str = param(
        REPORT,
        Choice(
            label=N_("Form"),
            help=N_(
                "Form of a recipe's report: report, or a de-identification statement in the outline of its "
                "recipient. Default: report."
            ),
            options=FORMS,
            is_option=True,
        ),
    )
    audience: str = param(
        INTERNAL,
        Choice(
            label=N_("Audience"),
            help=N_(
                "Readers of the report: internal contains everything, public nothing that helps an attacker. "
                "Default: internal."
            ),
            options=(
                (INTERNAL, N_("Internal: complete, only for readers who may see the input")),
                (PUBLIC, N_("Public: nothing that helps an attacker")),
            ),
            is_option=True,
        ),
    )
    threshold: int = param(
        SMALL_COUNT,
        Integer(
            label=N_("Smallest count shown"),
            help=N_("A public report withholds counts below this number. Default: 5."),
            minimum=2,
            rule=N_("at least 2, as smaller counts are withheld; 5 to 11 is usual"),
            key="small_count",
            metavar="N",
            is_option=True,
        ),
    )
    accepted_risk: float = param(
        ACCEPTED_RISK,
        Real(
            label=N_("Accepted risk"),
            help=N_(
                "Accepted risk of re-identification, from 0 to 1; records above it are at risk. Default: 0.2."
            ),
            minimum=sys.float_info.min,
            rule=N_("a fraction above 0, at most 1; 0.2 means classes of 5"),
            is_share=True,
            is_option=True,
        ),
    )
    date: datetime | None = None
    paper: str = param(
        "a4",
        Choice(
            label=N_("Paper"),
            help=N_("Size of the pages of a report in PDF. Default: a4."),
            options=(("a4", N_("A4")), ("letter", N_("Letter"))),
            is_option=True,
        ),
    )
    language: str = param(
        language_in_use,
        Text(
            label=N_("Language"),
            help=N_("Language of a report in PDF or HTML, such as de. Default: en."),
            is_open=False,
            metavar="CODE",
            is_option=True,
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language not in (*languages(), language_in_use()):
            raise ParameterError(
                _("Unknown language '{language}'.").format(language=self.language),
                hint=nearest(self.language, languages()),
            )

    @property
    def is_public(self) -> bool:
        """Return whether the report is for the public."""
        return self.audience == PUBLIC

    @property
    def is_statement(self) -> bool:
        """Return whether the form is a de-identification statement."""
        return self.form != REPORT
