"""Settings of an ARX project as stored: words of its XML, and values of its Java objects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import numpy as np

from engine.arx.archive import ArxArchive, damaged
from engine.arx.java_stream import JavaObject, UnreadableStreamError, entries, items, plain, read_stream
from engine.kernels.arrays import IntArray
from engine.records import Column, DataType, Kind
from engine.words import _

MOST_ELEMENTS = 500_000
DEEPEST = 40


class UnsafeXmlError(Exception):
    """The text is not well-formed XML, has a document type, or exceeds a bound."""


class _Bounded(TreeBuilder):
    """Elements within bounds, of a text without a document type, which could define anything."""

    def __init__(self) -> None:
        super().__init__()
        self._count = self._depth = 0

    def start(self, tag: Any, attributes: Any, /) -> Element:
        self._count, self._depth = self._count + 1, self._depth + 1
        if self._count > MOST_ELEMENTS or self._depth > DEEPEST:
            raise UnsafeXmlError("too many elements")
        return super().start(tag, attributes)

    def end(self, tag: Any, /) -> Element:
        self._depth -= 1
        return super().end(tag)

    def doctype(self, *_unused: object) -> None:
        raise UnsafeXmlError("a document type")


def parse_xml(data: bytes) -> Element:
    """Return the outermost element.

    Raises
    ------
    UnsafeXmlError
        It is not well-formed, has a document type, or exceeds a bound.
    """
    parser = XMLParser(target=_Bounded())
    try:
        parser.feed(data)
        found: Element = parser.close()
    except (ParseError, LookupError, ValueError) as error:
        raise UnsafeXmlError("not well-formed") from error
    return found


def _word(element: Element, name: str) -> str:
    """Return the text of the first element of a name directly in it, without spaces around."""
    return element.findtext(name, "").strip()


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
    models : tuple of str
        Privacy models in ARX's words.
    measure : str
        Utility measure in ARX's words.
    limit : float
        Suppression limit.
    suppressed_roles : tuple of str
        Roles of the columns that suppressed records lose.
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
    vocabulary = _word(metadata, "vocabulary")
    if vocabulary not in VERSIONS:
        raise damaged(archive.file, _("its version '{version}' is not known").format(version=vocabulary[:20]))
    project = _xml(archive, "project.xml", "project")
    definition = _xml(archive, "input/definition.xml", "definition")
    configuration = _xml(archive, "input/config.xml", "config")
    return ArxSettings(
        name=_word(project, "name"),
        delimiter=(project.findtext("separator", "") or ";")[:1],
        vocabulary=vocabulary,
        columns=tuple(_column(archive, entry) for entry in definition.findall("assigment")),
        models=_texts(configuration, "criteria", "criterion"),
        measure=_word(configuration, "metric"),
        limit=_number(archive, configuration, "relativeMaxOutliers"),
        weights=_weights(archive, configuration),
        suppressed_roles=_texts(configuration, "suppressedAttributeTypes", "type"),
        suppression_text=_word(configuration, "suppressionString") or "*",
        is_practical=_word(configuration, "practicalMonotonicity") == "true",
        configuration=_java(archive, "input/config.dat"),
        project=_java(archive, "project.dat"),
    )


def sample_of(settings: ArxSettings, n_records: int) -> IntArray | None:
    """Return the records of ARX's research sample, in order; all if it is known that none are left out.

    None if it is not known, or not a sample of a table of that size.
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
    if found.tag != outermost:
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
    name = entry.findtext("name", "")
    if not name:
        raise damaged(archive.file, _("a column has no name"))
    return ArxColumn(
        name=name,
        role=_word(entry, "type"),
        kind=_word(entry, "datatype"),
        form=entry.findtext("format", ""),
        locale=_word(entry, "locale"),
        hierarchy=entry.findtext("ref", ""),
        lowest=_word(entry, "min") or "All",
        highest=_word(entry, "max") or "All",
        aggregate=_word(entry, "microaggregationFunction"),
        counts_missing=_word(entry, "microaggregationIgnoreMissingData") == "false",
        is_target=_word(entry, "response") == "true",
    )


def _texts(configuration: Element, group: str, name: str) -> tuple[str, ...]:
    return tuple(
        (entry.text or "").strip() for outer in configuration.findall(group) for entry in outer.findall(name)
    )


def _weights(archive: ArxArchive, configuration: Element) -> dict[str, float]:
    return {
        entry.findtext("attribute", ""): _number(archive, entry, "weight")
        for entry in configuration.findall("attributeWeights/attributeWeight")
    }


def _number(archive: ArxArchive, entry: Element, name: str) -> float:
    try:
        return float(_word(entry, name))
    except ValueError:
        raise damaged(archive.file, _("'{name}' is not a number").format(name=name)) from None


_DEFAULT_DATE = "dd.MM.yyyy"
_OLD_KINDS = ("String", "Decimal")  # vocabulary 1.0: anything else is the format of a date
# Letters of Java's date formats with their number; repeated letters pad with zeros.
_DIRECTIVES = {
    "yyyy": "%Y",
    "y": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%f",
    "a": "%p",
    "EEE": "%a",
    "EEEE": "%A",
    "DDD": "%j",
}


def type_of(column: ArxColumn, values: Column, vocabulary: str) -> DataType | None:
    """Return the type of a column; None if this program has no such type.

    Categories without a stated order are in the order of their texts, as in ARX.
    """
    kind, form = column.kind, column.form
    if vocabulary == "1.0" and kind not in _OLD_KINDS:
        kind, form = "Date/Time", kind
    if kind == "String":
        return DataType(Kind.TEXT)
    if kind == "Integer":
        return DataType(Kind.INTEGER)
    if kind == "Decimal":
        return DataType(Kind.DECIMAL)
    if kind == "Date/Time":
        directives = date_format(form if form not in ("", "Default") else _DEFAULT_DATE)
        return None if directives is None else DataType(Kind.DATE, directives)
    if kind == "Ordinal":
        return DataType(Kind.ORDERED, "", ordered(form, values))
    return None


def ordered(form: str, values: Column) -> tuple[str, ...]:
    """Return the order that a format states line by line; that of the texts if it states none."""
    lines = tuple(line for line in form.splitlines() if line)
    return texts_in_order(values) if lines in ((), ("Default",)) else lines


def texts_in_order(values: Column) -> tuple[str, ...]:
    """Return the texts of a column as Java orders them, by their units of UTF-16; without the missing one."""
    labels = values.known_labels
    return tuple(sorted(labels, key=lambda label: label.encode("utf-16-be", "surrogatepass")))


def date_format(form: str) -> str | None:
    """Return the directives of a date format of Java; None if one has no counterpart."""
    found, at = [], 0
    while at < len(form):
        letter = form[at]
        if letter == "'":
            end = form.find("'", at + 1)
            if end < 0:
                return None
            found.append(form[at + 1 : end].replace("%", "%%") or "'")
            at = end + 1
            continue
        if not (letter.isascii() and letter.isalpha()):
            found.append("%%" if letter == "%" else letter)
            at += 1
            continue
        end = at
        while end < len(form) and form[end] == letter:
            end += 1
        directive = _DIRECTIVES.get(form[at:end])
        if directive is None:
            return None
        found.append(directive)
        at = end
    return "".join(found)
