"""Forms generated from declared parameters."""

from __future__ import annotations

from anonymizer_gui.forms.editors import Editor, FormContext, editor_for
from anonymizer_gui.forms.param_form import ParamForm

__all__ = ["Editor", "FormContext", "ParamForm", "editor_for"]
