"""Verification code of plug-ins: verifiers of models and readers of formats, loaded when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.verification.findings import UnverifiableError
from engine.words import _

# Files with these endings are text or packed text, whatever plug-ins offer.
_TEXT = (".csv", ".tsv", ".txt", ".gz", "")
_found: dict[str, Mapping[str, Any]] = {}  # by group, once it was asked for


def plugged_judge(key: str, is_own: Callable[[str], bool], kind: type[Any]) -> Any:
    """Return the verifier that a plug-in offers for a model.

    Parameters
    ----------
    key : str
        Key of the model.
    is_own : callable
        Returns whether the program itself has the verifier of a key.
    kind : type
        Type of a verifier.

    Raises
    ------
    UnverifiableError
        There is none, or it could not be loaded; the message says which package is concerned.
    """
    from engine import plugins  # only for models that the program itself does not have

    judges = plugged_judges(is_own, kind)
    if key in judges:
        return judges[key]
    package = next((offer.source for offer in plugins.offers(plugins.MODELS) if offer.key == key), "")
    if why := plugins.why_refused(plugins.JUDGES, key):
        raise UnverifiableError(
            _("The release cannot be verified: the verifier of the model '{key}' is missing. {why}").format(
                key=key, why=why
            )
        )
    if package:
        raise UnverifiableError(
            _(
                "The release cannot be verified: the plug-in {package} has no verifier for its model '{key}'."
            ).format(package=package, key=key)
        )
    raise UnverifiableError(_("Unknown model '{key}'.").format(key=key))


def plugged_judges(is_own: Callable[[str], bool], kind: type[Any]) -> Mapping[str, Any]:
    """Return the verifiers of all plug-ins by the key of their model."""
    from engine import plugins

    return _loaded(plugins.JUDGES, is_own, kind)


def plugged_readers() -> Mapping[str, Callable[..., Any]]:
    """Return the readers of all plug-ins for the verification, by ending without the dot."""
    from engine import plugins

    return _loaded(plugins.JUDGE_READERS, lambda _key: False, object)


def is_plugged(ending: str) -> bool:
    """Return whether plug-ins read files of an ending, with or without a reader for the verification."""
    if ending in _TEXT:
        return False
    from engine import plugins

    groups = (plugins.READERS, plugins.JUDGE_READERS)
    return any(offer.key == ending.removeprefix(".") for group in groups for offer in plugins.offers(group))


def plugged_reader(ending: str) -> Callable[..., Any]:
    """Return the function of a plug-in that reads a file into a DataFrame for the verification.

    Raises
    ------
    UnverifiableError
        No plug-in has one, or it could not be loaded.
    """
    from engine import plugins

    key = ending.removeprefix(".")
    readers = plugged_readers()
    if key not in readers:
        why = plugins.why_refused(plugins.JUDGE_READERS, key)
        problem = _("The release cannot be verified: no plug-in reads '{ending}' files for the verification.")
        raise UnverifiableError(f"{problem.format(ending=ending)} {why}".strip())
    reader: Callable[..., Any] = readers[key]
    return reader


def _loaded(group: str, is_own: Callable[[str], bool], kind: type[Any]) -> Mapping[str, Any]:
    from engine import plugins

    def why_not(offer: plugins.Offer, member: Any) -> str:
        if kind is object:
            return "" if callable(member) else _("it is not a function")
        return "" if isinstance(member, kind) else _("it is not a {kind}").format(kind=kind.__name__)

    if group not in _found:
        found = plugins.load(group, is_own, why_not)
        _found[group] = {key: member for key, (_unused, member) in found.items()}
    return _found[group]
