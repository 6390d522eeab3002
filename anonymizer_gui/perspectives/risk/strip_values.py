"""What stands over the pages: the tone of the sentence, and what the figures were computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import limit_text
from anonymizer_gui.widgets.numbers import as_percent, as_vector

if TYPE_CHECKING:
    from engine.assessment import Subject

_DOT = " · "


def basis_words(*, is_verified: bool, file_name: str = "") -> tuple[str, str, str]:
    """Text, tone and meaning of the chip that says what the figures rest on."""
    if is_verified:
        return (
            "Recomputed from the written file",
            "ok",
            f"'{file_name}' was read again after the export, and k, l and t came out as promised.",
        )
    return (
        "Computed from the release",
        "neutral",
        "The figures are of the applied release. An export writes it, reads the file again and recomputes "
        "k, l and t from it.",
    )


def made_with_words(subject: Subject, stale_text: str) -> tuple[str, str]:
    """Which release is described, in few words, and how the settings differ by now."""
    release, requirement = subject.release, subject.release.requirement
    models = [f"{model.symbol} = {limit_text(model)}" for model in requirement.models]
    limit = as_percent(requirement.suppression_limit)
    parts = ["" if release.node is None else as_vector(release.node), ", ".join(models)]
    parts.append(f"{limit} suppression at most")
    text = f"made with {_DOT.join(filter(None, parts))}"
    return (f"{stale_text}{_DOT}{text}", stale_text) if stale_text else (text, "")
