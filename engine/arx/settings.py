"""Settings of an ARX project as its files state them: words of its XML, and values of its Java objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np

from engine.arx.archive import ArxArchive, damaged
from engine.arx.java_stream import JavaObject, UnreadableStreamError, entries, items, plain, read_stream
from engine.kernels.arrays import IntArray
from engine.words import _

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


USUAL_WEIGHT = 0.5
VERSIONS = ("1.0", "2.0")  # of the vocabulary of ARX's XML


@dataclass(frozen=True)
class ArxColumn:
    """A column: an assignment of `input/definition.xml`.

    Attributes
    ----------
    name, role, kind, form, locale : str
        Name, role and data type in ARX's words; format and locale of the type, empty if there is none.
    hierarchy : str
        Entry of its hierarchy, below `input/`; empty if it has none.
    lowest, highest : str
        Levels that a search may use, or "All".
    aggregate : str
        Function of microaggregation; empty if the column is generalized.
    counts_missing : bool
        Whether that function does not leave out missing values.
    is_target : bool
    """

    name: str
    role: str
    kind: str = "String"
    form: str = ""
    locale: str = ""
    hierarchy: str = ""
    lowest: str = "All"
    highest: str = "All"
    aggregate: str = ""
    counts_missing: bool = False
    is_target: bool = False


@dataclass(frozen=True)
class ArxSettings:
    """Everything that is read besides table and hierarchies.

    Attributes
    ----------
    name, delimiter, vocabulary : str
    columns : tuple of ArxColumn
    models : tuple of str
        Privacy models in ARX's words.
    measure : str
        Utility measure in ARX's words.
    limit : float
        Suppression limit.
    weights : dict of str to float
    suppressed_roles : tuple of str
        Roles of the columns that suppressed records lose.
    suppression_text : str
    is_practical : bool
        Whether ARX assumes practical monotonicity.
    configuration, project : JavaObject or None
        What ARX stores as Java objects only; None if it could not be read.
    """

    name: str
    delimiter: str
    vocabulary: str
    columns: tuple[ArxColumn, ...]
    models: tuple[str, ...]
    measure: str
    limit: float
    weights: dict[str, float] = field(default_factory=dict)
    suppressed_roles: tuple[str, ...] = ()
    suppression_text: str = "*"
    is_practical: bool = False
    configuration: JavaObject | None = None
    project: JavaObject | None = None

    def criterion(self, *kinds: str) -> JavaObject | None:
        """Return the Java object of a privacy model, by the names of its class."""
        for found in items(self.of_configuration("criteria")):
            if isinstance(found, JavaObject) and found.name in kinds:
                return found
        return None

    def of_configuration(self, name: str) -> Any:
        """Return a field of ARX's configuration of a run; None if it is not known."""
        inner = None if self.configuration is None else self.configuration.fields.get("config")
        return plain(inner.fields.get(name)) if isinstance(inner, JavaObject) else None

    def of_columns(self, name: str) -> dict[str, Any]:
        """Return a setting that has an entry per column; empty if it is not known."""
        return {} if self.configuration is None else entries(self.configuration.fields.get(name))

    def weights_of(self, columns: Iterable[str]) -> dict[str, float]:
        """Return the weights of some columns; ARX's usual one if a column has none."""
        return {name: self.weights.get(name, USUAL_WEIGHT) for name in columns}

    @property
    def measure_object(self) -> JavaObject | None:
        """Return the Java object of the utility measure."""
        found = self.of_configuration("metric") or self.of_configuration("qualityModel")
        return found if isinstance(found, JavaObject) else None


def read_settings(archive: ArxArchive) -> ArxSettings:
    """Return the settings of a project.

    Raises
    ------
    ProjectFileError
        Part of the XML is missing, unsafe or not ARX's.
    """
    metadata = _xml(archive, "metadata.xml", "metadata")
    vocabulary = metadata.value("vocabulary") or ""
    if vocabulary not in VERSIONS:
        raise damaged(archive.file, _("its version '{version}' is not known").format(version=vocabulary[:20]))
    project = _xml(archive, "project.xml", "project")
    definition = _xml(archive, "input/definition.xml", "definition")
    configuration = _xml(archive, "input/config.xml", "config")
    return ArxSettings(
        name=project.value("name") or "",
        delimiter=(project.raw("separator") or ";")[:1],
        vocabulary=vocabulary,
        columns=tuple(_column(archive, entry) for entry in definition.all("assigment")),
        models=_texts(configuration, "criteria", "criterion"),
        measure=configuration.value("metric") or "",
        limit=_number(archive, configuration, "relativeMaxOutliers"),
        weights=_weights(archive, configuration),
        suppressed_roles=_texts(configuration, "suppressedAttributeTypes", "type"),
        suppression_text=configuration.value("suppressionString") or "*",
        is_practical=configuration.value("practicalMonotonicity") == "true",
        configuration=_java(archive, "input/config.dat"),
        project=_java(archive, "project.dat"),
    )


def sample_of(settings: ArxSettings, n_records: int) -> IntArray | None:
    """Return the records of ARX's research sample, in order; all if it is known that none are left out.

    None if it is not known, or not a sample of a table of so many records.
    """
    found = None if settings.configuration is None else settings.configuration.fields.get("researchSubset")
    if found is None and settings.configuration is not None:
        return np.arange(n_records)
    if not isinstance(found, JavaObject):
        return None
    words, size = found.fields.get("array"), found.fields.get("size")
    if not isinstance(words, np.ndarray) or found.fields.get("length") != n_records:
        return None
    bits = np.unpackbits(words.astype("<i8").view(np.uint8), bitorder="little")
    rows = np.flatnonzero(bits[:n_records])
    return rows if len(rows) == size and len(rows) else None


def _xml(archive: ArxArchive, name: str, outermost: str) -> Element:
    try:
        found = parse_xml(archive.read(name))
    except UnsafeXmlError as error:
        raise damaged(archive.file, _("'{name}' is not valid XML").format(name=name)) from error
    if found.name != outermost:
        raise damaged(archive.file, _("'{name}' has unexpected content").format(name=name))
    return found


def _java(archive: ArxArchive, name: str) -> JavaObject | None:
    if name not in archive:
        return None
    try:
        found = read_stream(archive.read(name))
    except UnreadableStreamError:
        return None
    return found if isinstance(found, JavaObject) else None


def _column(archive: ArxArchive, entry: Element) -> ArxColumn:
    name = entry.raw("name")
    if not name:
        raise damaged(archive.file, _("a column has no name"))
    return ArxColumn(
        name=name,
        role=entry.value("type") or "",
        kind=entry.value("datatype") or "",
        form=entry.raw("format"),
        locale=entry.value("locale") or "",
        hierarchy=entry.raw("ref"),
        lowest=entry.value("min") or "All",
        highest=entry.value("max") or "All",
        aggregate=entry.value("microaggregationFunction") or "",
        counts_missing=entry.value("microaggregationIgnoreMissingData") == "false",
        is_target=entry.value("response") == "true",
    )


def _texts(configuration: Element, group: str, name: str) -> tuple[str, ...]:
    return tuple(entry.text.strip() for outer in configuration.all(group) for entry in outer.all(name))


def _weights(archive: ArxArchive, configuration: Element) -> dict[str, float]:
    return {
        entry.raw("attribute"): _number(archive, entry, "weight")
        for outer in configuration.all("attributeWeights")
        for entry in outer.all("attributeWeight")
    }


def _number(archive: ArxArchive, entry: Element, name: str) -> float:
    text = entry.value(name)
    try:
        return float(text or "")
    except ValueError:
        raise damaged(archive.file, _("'{name}' is not a number").format(name=name)) from None
