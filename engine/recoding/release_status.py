"""Status of a release in the words of the law: pseudonymised where codes are released, or by its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from engine.recoding.release import Release
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import ReleaseSource
from engine.words import _, ngettext

PSEUDONYMISED, ANONYMISED, NEITHER = "pseudonymised", "anonymised", "neither"


@dataclass(frozen=True)
class ReleaseStatus:
    """Status of a release.

    Attributes
    ----------
    word : {"pseudonymised", "anonymised", "neither"}
        "pseudonymised" if codes are released, whatever the classes are; "anonymised" only in the sense of the
        figures of the requirement that it meets.
    codes : tuple of str
        Columns released as codes that a key, or a table of codes and values, leads back from.
    """

    word: str
    codes: tuple[str, ...]

    @classmethod
    def of(cls, source: ReleaseSource, release: Release) -> Self:
        """Return the status of a release as the settings of a source would write it."""
        rules = {name: rule_of(source, name) for name in source.records.names}
        codes = tuple(name for name, rule in rules.items() if rule is not None and rule.is_reversible)
        if codes:
            return cls(PSEUDONYMISED, codes)
        return cls(ANONYMISED if release.requirement.models and release.satisfies else NEITHER, ())

    @property
    def title(self) -> str:
        """Status in a word or two."""
        words = {PSEUDONYMISED: _("pseudonymised"), ANONYMISED: _("anonymised, by these figures")}
        return words.get(self.word, _("neither anonymised nor pseudonymised"))

    def sentence(self, basis: str, recipient: str = "") -> str:
        """State the status with its basis, such as "k = 5 for these 4 columns", and its recipient."""
        if self.word == PSEUDONYMISED:
            text = ngettext(
                "Pseudonymised: {columns} is released as codes. With the key, or a table of codes and "
                "values, the records can be attributed to people (GDPR, Article 4(5)).",
                "Pseudonymised: {columns} are released as codes. With the key, or a table of codes and "
                "values, the records can be attributed to people (GDPR, Article 4(5)).",
                len(self.codes),
            )
            return text.format(columns=", ".join(_("'{name}'").format(name=name) for name in self.codes))
        if self.word == NEITHER:
            return _(
                "Neither anonymised nor pseudonymised: no privacy model is required, or the release does not "
                "meet the requirement."
            )
        whom = recipient.strip() or _("the recipient")
        return _(
            "Anonymised in the sense of the figures, for {recipient}: {basis}. Other means that are "
            "reasonably likely to be used are not covered (GDPR, recital 26)."
        ).format(recipient=whom, basis=basis)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in the form of the summary."""
        return {"word": self.word, "codes": list(self.codes)}
