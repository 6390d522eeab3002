"""ARX projects made by hand: the entries and the words that ARX 3.9 writes, and its Java objects."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

QI, SENSITIVE = "QUASI_IDENTIFYING_ATTRIBUTE", "SENSITIVE_ATTRIBUTE"
IDENTIFYING, INSENSITIVE = "IDENTIFYING_ATTRIBUTE", "INSENSITIVE_ATTRIBUTE"

TABLE = """\
name;age;sex;illness;visits
Ann;31;f;flu;1
Bea;32;f;cold;2
Cem;35;m;flu;3
Dan;36;m;gout;4
Eva;58;f;cold;5
Fay;59;f;flu;6
Gus;71;m;gout;7
Hal;72;m;flu;8
"""
HIERARCHIES = {
    "age": "".join(f"{age};{age // 10 * 10};*\n" for age in (31, 32, 35, 36, 58, 59, 71, 72)),
    "sex": "f;*\nm;*\n",
}


@dataclass(frozen=True)
class Column:
    """A column of `definition.xml`."""

    name: str
    role: str
    kind: str = "String"
    further: str = ""  # elements after the type


COLUMNS = (
    Column("name", IDENTIFYING),
    Column("age", QI, "Integer"),
    Column("sex", QI),
    Column("illness", SENSITIVE),
    Column("visits", INSENSITIVE, "Integer"),
)


@dataclass(frozen=True)
class Enum:
    """A constant of a Java enumeration."""

    kind: str
    constant: str


@dataclass(frozen=True)
class Object:
    """A Java object; `entries` are what a map or a set writes after its fields."""

    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    entries: Sequence[Any] | None = None


def java_map(values: Mapping[str, Any]) -> Object:
    """A HashMap."""
    flat = [item for pair in values.items() for item in pair]
    return Object("java.util.HashMap", {"threshold": 12}, [b"\0\0\0\x10", *flat])


def java_set(values: Sequence[Any]) -> Object:
    """A HashSet."""
    return Object("java.util.HashSet", {}, [b"\0\0\0\x10\x3f\x40\0\0", *values])


def java_number(value: float) -> Object:
    """A number in an object, as maps have them."""
    kind = "java.lang.Double" if isinstance(value, float) else "java.lang.Long"
    return Object(kind, {"value": value})


def java_rows(rows: Sequence[int], n_records: int) -> Object:
    """ARX's set of rows: a bit each, in words of 64."""
    bits = np.zeros(-(-n_records // 64) * 64, dtype=np.uint8)
    bits[list(rows)] = 1
    words = np.packbits(bits, bitorder="little").view("<i8")
    fields = {"length": n_records, "size": len(rows), "array": words.astype(">i8")}
    return Object("org.deidentifier.arx.RowSet", fields)


def stream(value: Any) -> bytes:
    """Serialize a value as Java does, each class described anew."""
    return b"\xac\xed\x00\x05" + _bytes(value)


def _name(text: str) -> bytes:
    encoded = text.encode("utf-8")
    return struct.pack(">H", len(encoded)) + encoded


def _code(value: Any) -> str:
    if isinstance(value, bool):
        return "Z"
    if isinstance(value, float):
        return "D"
    return "I" if isinstance(value, int) else "[" if isinstance(value, np.ndarray) else "L"


def _described(kind: str, fields: Mapping[str, Any], flags: int) -> bytes:
    found = b"\x72" + _name(kind) + bytes(8) + bytes((flags,)) + struct.pack(">H", len(fields))
    for name, value in fields.items():
        code = _code(value)
        found += code.encode() + _name(name)
        if code in "[L":
            found += b"\x74" + _name("Ljava/lang/Object;")
    return found + b"\x78\x70"


def _bytes(value: Any) -> bytes:
    if value is None:
        return b"\x70"
    if isinstance(value, bytes):
        return b"\x77" + bytes((len(value),)) + value
    if isinstance(value, str):
        return b"\x74" + _name(value)
    if isinstance(value, Enum):
        return b"\x7e" + _described(value.kind, {}, 0x12) + _bytes(value.constant)
    if isinstance(value, np.ndarray):
        return b"\x75" + _described("[J", {}, 2) + struct.pack(">I", len(value)) + value.tobytes()
    flags = 2 if value.entries is None else 3
    found = b"\x73" + _described(value.kind, value.fields, flags)
    for item in value.fields.values():
        code = _code(item)
        found += struct.pack({"Z": ">?", "D": ">d", "I": ">i"}[code], item) if code in "ZDI" else _bytes(item)
    if value.entries is not None:
        found += b"".join(map(_bytes, value.entries)) + b"\x78"
    return found


def configuration(
    criteria: Sequence[Object] = (),
    measure: Object | None = None,
    run: Mapping[str, Any] | None = None,
    **fields: Any,
) -> bytes:
    """Return `config.dat`; `run` are fields of ARX's ARXConfiguration, others of its ModelConfiguration."""
    inner = {"criteria": java_set(criteria), "metric": measure, **(run or {})}
    config = Object("org.deidentifier.arx.ARXConfiguration", inner)
    kind = "org.deidentifier.arx.gui.model.ModelConfiguration"
    return stream(Object(kind, {"config": config, **fields}))


def measure_object(kind: str, aggregate: str = "", coding: float | None = None) -> Object:
    """Return ARX's object of a utility measure."""
    fields: dict[str, Any] = {}
    if aggregate:
        fields["function"] = Enum("org.deidentifier.arx.metric.Metric$AggregateFunction", aggregate)
    if coding is not None:
        fields["gsFactor"] = java_number(coding)
    return Object(f"org.deidentifier.arx.metric.v2.{kind}", fields)


def _element(name: str, value: object) -> str:
    return f"<{name}>{escape(str(value))}</{name}>\n"


def _assignment(column: Column, hierarchies: Mapping[str, str]) -> str:
    text = _element("name", column.name) + _element("type", column.role) + _element("datatype", column.kind)
    levels = "<min>" in column.further
    text += column.further
    if column.name in hierarchies:
        text += _element("ref", f"hierarchies/{column.name}.csv")
        text += "" if levels else _element("min", "All") + _element("max", "All")
    return f"<assigment>\n{text}</assigment>\n"


def entries(
    *,
    table: str = TABLE,
    columns: Sequence[Column] = COLUMNS,
    hierarchies: Mapping[str, str] = HIERARCHIES,
    models: Sequence[str] = ("2-anonymity",),
    measure: str = "Loss (0.5/1.0/1.0)",
    limit: float = 0.25,
    weights: Mapping[str, float] | None = None,
    suppressed: Sequence[str] = (QI,),
    further: str = "",
    config: bytes | None = None,
    lattice: str = "",
) -> dict[str, bytes]:
    """Return the entries of a project, by name."""
    weighed = "".join(
        f"<attributeWeight>{_element('attribute', name)}{_element('weight', weight)}</attributeWeight>\n"
        for name, weight in (weights or {}).items()
    )
    found = {
        "metadata.xml": "<metadata>\n<version>3.9.0</version>\n<vocabulary>2.0</vocabulary>\n</metadata>\n",
        "project.xml": "<project>\n<name>Clinic</name>\n<separator>;</separator>\n</project>\n",
        "data/input.csv": table,
        "input/definition.xml": "<definition>\n"
        + "".join(_assignment(column, hierarchies) for column in columns)
        + "</definition>\n",
        "input/config.xml": "<config>\n<suppressedAttributeTypes>\n"
        + "".join(_element("type", role) for role in suppressed)
        + "</suppressedAttributeTypes>\n<practicalMonotonicity>false</practicalMonotonicity>\n"
        + _element("relativeMaxOutliers", limit)
        + _element("metric", measure)
        + f"<attributeWeights>\n{weighed}</attributeWeights>\n<criteria>\n"
        + "".join(_element("criterion", model) for model in models)
        + f"</criteria>\n{further}</config>\n",
        **{f"input/hierarchies/{name}.csv": text for name, text in hierarchies.items()},
        **({"lattice.xml": lattice} if lattice else {}),
    }
    encoded = {name: text.encode("utf-8") for name, text in found.items()}
    if config is None:
        config = configuration(measure=measure_object("MetricMDNMLoss", "GEOMETRIC_MEAN", 0.5))
    return {**encoded, "input/config.dat": config}


def write(path: Path, found: Mapping[str, bytes]) -> Path:
    """Write entries as a project."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in found.items():
            archive.writestr(name, data)
    return path


def arx_project(folder: Path, **settings: Any) -> Path:
    """Write a project; see `entries`."""
    return write(folder / "clinic.deid", entries(**settings))
