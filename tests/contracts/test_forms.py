"""Every registered member has a form that returns it unchanged and refuses what it refuses."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import FormContext, ParamForm
from engine.hierarchies.builders.base import builders
from engine.params import ColumnRef, Configurable, describe, values_of
from engine.privacy import privacy_models
from engine.recoding.rules import column_rules
from engine.utility import utility_metrics
from tests.contracts.uncommon import uncommon

CONTEXT = FormContext({"sensitive": ("salary", "disease"), "quasi-identifying": ("age", "zip")})
MEMBERS = [
    pytest.param(kind, id=f"{registry.family}:{key}")
    for registry in (privacy_models, builders, utility_metrics, column_rules)
    for key, kind in registry.items()
]
WITH_OTHERS = [member for member in MEMBERS if uncommon(member.values[0])]  # values other than the defaults


def _needed(kind: type[Configurable]) -> dict[str, str]:
    """Return the columns that a member needs."""
    return {
        d.name: "disease"
        for d in describe(kind)
        if isinstance(d, ColumnRef) and getattr(kind(), d.name) == ""
    }


# a column cannot be chosen if there is none
@pytest.mark.parametrize("kind", [member for member in MEMBERS if not _needed(member.values[0])])
def test_an_unchanged_form_gives_the_defaults(qtbot: QtBot, kind: type[Configurable]) -> None:
    form = ParamForm(kind, context=FormContext())
    qtbot.addWidget(form)
    assert form.member() == kind()


@pytest.mark.parametrize("kind", WITH_OTHERS)
def test_a_form_returns_its_member_unchanged(qtbot: QtBot, kind: type[Configurable]) -> None:
    for name, value in uncommon(kind).items():
        member = kind(**_needed(kind) | {name: value})
        form = ParamForm(kind, values_of(member), CONTEXT)
        qtbot.addWidget(form)
        assert form.member() == member


@pytest.mark.parametrize("kind", [member for member in MEMBERS if describe(member.values[0])])
def test_every_field_has_a_name_and_a_help_text(qtbot: QtBot, kind: type[Configurable]) -> None:
    form = ParamForm(kind, context=CONTEXT)
    qtbot.addWidget(form)
    for descriptor in describe(kind):
        widget = form.editor(descriptor.name).widget
        assert widget.accessibleName() == descriptor.label != ""
        assert widget.toolTip() == descriptor.help != ""


@pytest.mark.parametrize("kind", WITH_OTHERS)
def test_a_change_in_any_field_is_announced(qtbot: QtBot, kind: type[Configurable]) -> None:
    form = ParamForm(kind, context=CONTEXT)
    qtbot.addWidget(form)
    for name, value in uncommon(kind).items():
        editor = form.editor(name)
        with qtbot.waitSignal(form.changed):
            if isinstance(editor.widget, QComboBox):  # filling in a form is not a change by the user
                qtbot.keyClick(editor.widget, Qt.Key.Key_Down)
            else:
                editor.set_value(value)
