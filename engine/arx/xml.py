"""XML without a document type: no entities are declared and none is fetched; size and depth are bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

MOST_ELEMENTS = 500_000
DEEPEST = 40


class UnsafeXmlError(Exception):
    """The text is no well-formed XML, has a document type, or exceeds a bound."""


@dataclass(slots=True)
class Element:
    """An element: its name, the text in it, and the elements in it."""

    name: str
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Element]:
        """Yield the elements of a name directly in it."""
        return (child for child in self.children if child.name == name)

    def value(self, name: str) -> str | None:
        """Return the text of the first element of a name directly in it, without spaces around."""
        return next((child.text.strip() for child in self.all(name)), None)

    def raw(self, name: str) -> str:
        """Return the text of the first element of a name directly in it, as it is."""
        return next((child.text for child in self.all(name)), "")


def parse_xml(data: bytes) -> Element:
    """Return the outermost element.

    Raises
    ------
    UnsafeXmlError
        It is not well-formed, has a document type, or exceeds a bound.
    """
    builder = _Builder()
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise UnsafeXmlError("not well-formed") from error
    assert builder.outermost is not None
    return builder.outermost


def _refuse(*_unused: object) -> int:
    raise UnsafeXmlError("a document type")


class _Builder:
    def __init__(self) -> None:
        self.outermost: Element | None = None
        self._open: list[Element] = []
        self._count = 0

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS or len(self._open) >= DEEPEST:
            raise UnsafeXmlError("too many elements")
        element = Element(name)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.outermost = element
        self._open.append(element)

    def end(self, _name: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        self._open[-1].text += text
