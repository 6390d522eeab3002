"""Roles, values and actions of painted widgets for screen readers, and labels of combo boxes.

Qt knows its own controls, but of a painted widget only its name. A painted widget therefore has a method
`as_accessible`, which says what it is at that moment; one factory makes Qt ask it. A change of the value is
sent by `value_changed`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
    QAccessibleValueChangeEvent,
    QAccessibleValueInterface,
)
from PySide6.QtWidgets import QAccessibleWidget, QComboBox, QLabel, QWidget
from shiboken6 import VoidPtr, isValid

Role = QAccessible.Role
PRESS, TOGGLE = QAccessibleActionInterface.pressAction(), QAccessibleActionInterface.toggleAction()
INCREASE, DECREASE = (
    QAccessibleActionInterface.increaseAction(),
    QAccessibleActionInterface.decreaseAction(),
)
SHOW_MENU = QAccessibleActionInterface.showMenuAction()
_HAS_LABEL = "has_spoken_label"  # property of a combo box
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_NULL = VoidPtr(0)  # a Python method that returns None for void* leaves the pointer undefined


@dataclass(frozen=True, slots=True)
class Number:
    """Value of a control on a scale, and how screen readers set it."""

    current: float
    minimum: float
    maximum: float
    step: float
    set: Callable[[float], object] | None = None


@dataclass(frozen=True, slots=True)
class Accessible:
    """Present state of a painted widget.

    `value` is the value in words. `actions` has functions by name; a name that is not one of Qt's is shown
    to the user. `states` has attributes of `QAccessible.State` that differ from those of a plain widget.
    `name` replaces the accessible name of the widget.
    """

    role: QAccessible.Role
    value: str = ""
    number: Number | None = None
    actions: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    states: Mapping[str, bool] = field(default_factory=dict)
    name: str = ""


@runtime_checkable
class Painted(Protocol):
    """Widget that says what it is; also asked when its constructor sets its accessible name."""

    def as_accessible(self) -> Accessible: ...


@dataclass(frozen=True, slots=True)
class Part:
    """Painted part of a widget, such as a cell: its place in the widget, and states as in `Accessible`."""

    role: QAccessible.Role
    name: str
    place: QRect
    states: Mapping[str, bool] = field(default_factory=dict)


Path = tuple[int, ...]  # from the widget: numbers of parts within parts


@runtime_checkable
class InParts(Protocol):
    """Painted widget whose parts screen readers walk; the empty path is the widget itself."""

    def n_accessible_parts(self, path: Path) -> int: ...

    def accessible_part(self, path: Path) -> Part: ...


class _Value(QAccessibleValueInterface):
    """Number of a widget."""

    def __init__(self, shown: Callable[[], Accessible]) -> None:
        super().__init__()
        self._shown = shown

    def _number(self) -> Number:
        return self._shown().number or Number(0.0, 0.0, 0.0, 0.0)

    def currentValue(self) -> float:
        return self._number().current

    def minimumValue(self) -> float:
        return self._number().minimum

    def maximumValue(self) -> float:
        return self._number().maximum

    def minimumStepSize(self) -> float:
        return self._number().step

    def setCurrentValue(self, value: Any) -> None:
        number = self._number()
        if number.set is not None:
            number.set(min(max(float(value), number.minimum), number.maximum))


class _Parts:
    """Parts of a widget, or of a part; Python keeps their interfaces, of which Qt has pointers only."""

    def __init__(self, widget: QWidget, path: Path) -> None:
        self._painted, self._path = weakref.ref(widget), path
        self._made: dict[int, _PartInterface] = {}

    def in_parts(self) -> InParts | None:
        """Return the widget, if it still exists and has this part."""
        painted, path = self._painted(), self._path
        if painted is None or not isValid(painted) or not isinstance(painted, InParts):
            return None
        return painted if not path or path[-1] < painted.n_accessible_parts(path[:-1]) else None

    def childCount(self) -> int:
        painted = self.in_parts()
        return 0 if painted is None else painted.n_accessible_parts(self._path)

    def child(self, index: int, /) -> Any:
        painted = self._painted()
        if painted is None or not 0 <= index < self.childCount():
            return None
        if index not in self._made:
            self._made[index] = _PartInterface(painted, (*self._path, index))
        return self._made[index]

    def childAt(self, x: int, y: int, /) -> Any:
        parts = map(self.child, range(self.childCount()))
        return next((part for part in parts if part is not None and part.rect().contains(x, y)), None)

    def indexOfChild(self, arg__1: QAccessibleInterface, /) -> int:
        return arg__1.index if isinstance(arg__1, _PartInterface) else -1


class _PartInterface(_Parts, QAccessibleInterface):
    """Interface of a part."""

    def __init__(self, widget: QWidget, path: Path) -> None:
        QAccessibleInterface.__init__(self)
        _Parts.__init__(self, widget, path)
        self.index = path[-1]

    def _part(self) -> Part:
        painted = self.in_parts()
        return Part(Role.NoRole, "", QRect()) if painted is None else painted.accessible_part(self._path)

    def isValid(self) -> bool:
        return self.in_parts() is not None

    def object(self) -> Any:
        return None

    def parent(self) -> Any:
        painted = self._painted()
        whole = None if painted is None else QAccessible.queryAccessibleInterface(painted)
        for index in self._path[:-1]:
            whole = whole and whole.child(index)
        return whole

    def text(self, t: QAccessible.Text) -> str:
        return self._part().name if t == QAccessible.Text.Name else ""

    def setText(self, t: QAccessible.Text, text: str) -> None:
        """Do nothing; parts are not edited."""

    def rect(self) -> QRect:
        painted, place = self._painted(), self._part().place
        return place if painted is None else QRect(painted.mapToGlobal(place.topLeft()), place.size())

    def role(self) -> QAccessible.Role:
        return self._part().role

    def state(self) -> QAccessible.State:
        return _with(QAccessible.State(), self._part().states)

    def interface_cast(self, t: QAccessible.InterfaceType) -> Any:
        return _NULL


class _Interface(QAccessibleWidget):
    """Interface of a painted widget.

    Qt deletes it with the widget, but PySide keeps the Python object, which must not hold the widget.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._painted = weakref.ref(widget)
        self._value = _Value(self._shown)

    def _shown(self) -> Accessible:
        painted: object = self._painted()
        return painted.as_accessible() if isinstance(painted, Painted) else Accessible(Role.NoRole)

    def role(self) -> QAccessible.Role:
        return self._shown().role

    def state(self) -> QAccessible.State:
        return _with(super().state(), self._shown().states)

    def text(self, t: QAccessible.Text) -> str:
        if t == QAccessible.Text.Value:
            return self._shown().value
        if t == QAccessible.Text.Name and (name := self._shown().name):
            return name
        own = super().text(t)
        if t == QAccessible.Text.Description and not own and self._shown().number is None:
            return self._shown().value  # on Linux a value that is not a number has no other place
        return own

    def interface_cast(self, t: QAccessible.InterfaceType) -> Any:
        if t == QAccessible.InterfaceType.ValueInterface:
            return _NULL if self._shown().number is None else self._value
        found: Any = super().interface_cast(t)
        return _NULL if found is None else found

    def actionNames(self) -> list[str]:
        own = list(self._shown().actions) if self.widget().isEnabled() else []
        return [*own, *super().actionNames()]

    def doAction(self, name: str) -> None:
        action = self._shown().actions.get(name)
        if action is None:
            super().doAction(name)
        elif self.widget().isEnabled():
            action()


class _InterfaceOfParts(_Parts, _Interface):
    """Interface of a painted widget with parts instead of widgets in it."""

    def __init__(self, widget: QWidget) -> None:
        _Interface.__init__(self, widget)
        _Parts.__init__(self, widget, ())


def _with(state: QAccessible.State, states: Mapping[str, bool]) -> QAccessible.State:
    for name, is_set in states.items():
        setattr(state, name, is_set)
    return state


@cache
def install() -> None:
    """Make Qt ask painted widgets what they are; once per process."""
    QAccessible.installFactory(_interface_of)


def _interface_of(class_name: str, thing: QObject) -> QAccessibleInterface | None:
    """Return the interface of a painted widget; None leaves an object to Qt."""
    # Qt asks for every base class in turn, and again if it forgot the interface.
    if class_name == "QComboBox" and isinstance(thing, QComboBox) and not thing.property(_HAS_LABEL):
        _BoxLabel(thing)
    if not isinstance(thing, QWidget) or not isinstance(thing, Painted):
        return None
    return _InterfaceOfParts(thing) if isinstance(thing, InParts) else _Interface(thing)


def value_changed(widget: QWidget) -> None:
    """Have screen readers say the new value of a painted widget."""
    assert isinstance(widget, Painted)
    shown = widget.as_accessible()
    value = shown.value if shown.number is None else shown.number.current
    QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, value))


def name_editable(box: QComboBox, name: str) -> None:
    """Set the accessible name of an editable combo box and of the field in it."""
    box.setAccessibleName(name)
    if (line := box.lineEdit()) is not None:
        line.setAccessibleName(name)


class _BoxLabel(QLabel):
    """Hidden label with the accessible name of a combo box, next to the box wherever it moves.

    On Linux the name of a combo box is its current text; screen readers say the label next to it that has the
    box as its buddy. Most boxes have no such label, and their names change.
    """

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box.parentWidget() or box)
        self._box = box
        box.setProperty(_HAS_LABEL, True)
        self.hide()
        self.setBuddy(box)
        box.installEventFilter(self)
        box.destroyed.connect(self.deleteLater)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.StaticText, name="" if self._is_labelled() else self._box.accessibleName())

    def _is_labelled(self) -> bool:
        beside = self._box.parentWidget()
        labels = [] if beside is None else beside.findChildren(QLabel, options=_DIRECT)
        return any(label.buddy() is self._box for label in labels if label is not self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange and watched is self._box:
            self.setParent(self._box.parentWidget() or self._box)
        return False


def announce(widget: QWidget, text: str, *, is_urgent: bool = False) -> None:
    """Have screen readers say a text.

    Parameters
    ----------
    widget : QWidget
        Widget that the text is about.
    text : str
        Nothing is said if empty.
    is_urgent : bool
        Whether the text interrupts speech, as errors do.
    """
    if not text:
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    if is_urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
