"""Every registered member has a form that gives it back unchanged and refuses what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import FormContext, ParamForm
from engine.hierarchies.builders.base import builders
from engine.params import (
    ColumnRef,
    Configurable,
    Groups,
    Integer,
    Integers,
    Real,
    Reals,
    Texts,
    describe,
    values_of,
)
from engine.privacy import privacy_models
from engine.utility import utility_metrics

CONTEXT = FormContext({"sensitive": ("salary", "disease")})
MEMBERS = [
    pytest.param(kind, id=f"{registry.family}:{key}")
    for registry in (privacy_models, builders, utility_metrics)
    for key, kind in registry.items()
]


def uncommon(kind: type[Configurable]) -> dict[str, Any]:
    """A value for each parameter that is allowed and differs from the default."""
    found: dict[str, Any] = {}
    for descriptor in describe(kind):
        match descriptor:
            case ColumnRef():
                found[descriptor.name] = "disease"
            case Integer():
                found[descriptor.name] = descriptor.minimum + 7
            case Real():
                found[descriptor.name] = descriptor.minimum + 0.125
            case Integers():
                found[descriptor.name] = (3, 2, 5)
            case Reals():
                found[descriptor.name] = (-1.5, 0, 20)
            case Texts():
                found[descriptor.name] = ("b", "a; c")
            case Groups():
                found[descriptor.name] = ((("x", ("a", "b c")), ("y", ("d",))), (("z", ("x", "y")),))
    return found


@pytest.mark.parametrize("kind", MEMBERS)
def test_a_form_left_alone_gives_the_defaults(qtbot: QtBot, kind: type[Configurable]) -> None:
    form = ParamForm(kind, context=FormContext())
    qtbot.addWidget(form)
    has_column = any(isinstance(d, ColumnRef) for d in describe(kind))
    if not has_column:  # a column cannot be chosen where there is none
        assert form.member() == kind()


@pytest.mark.parametrize("kind", MEMBERS)
def test_a_member_shown_in_its_form_comes_back_unchanged(qtbot: QtBot, kind: type[Configurable]) -> None:
    needed = {d.name: "disease" for d in describe(kind) if isinstance(d, ColumnRef)}
    for name, value in uncommon(kind).items():
        member = kind(**needed | {name: value})
        form = ParamForm(kind, values_of(member), CONTEXT)
        qtbot.addWidget(form)
        assert form.member() == member


@pytest.mark.parametrize("kind", MEMBERS)
def test_every_field_has_a_name_and_says_what_it_is_for(qtbot: QtBot, kind: type[Configurable]) -> None:
    form = ParamForm(kind, context=CONTEXT)
    qtbot.addWidget(form)
    for descriptor in describe(kind):
        widget = form.editor(descriptor.name).widget
        assert widget.accessibleName() == descriptor.label != ""
        assert widget.toolTip() == descriptor.help != ""


@pytest.mark.parametrize("kind", MEMBERS)
def test_a_change_in_any_field_is_announced(qtbot: QtBot, kind: type[Configurable]) -> None:
    form = ParamForm(kind, context=CONTEXT)
    qtbot.addWidget(form)
    for name, value in uncommon(kind).items():
        if name == "column":  # filling a combo box is no change by the person
            continue
        with qtbot.waitSignal(form.changed):
            form.editor(name).set_value(value)
