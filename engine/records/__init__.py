"""Tables as integer-coded columns, wherever their records are: roles, data types, reading and writing."""

from engine.records.options import ReadOptions
from engine.records.table import Column, Table
from engine.records.types import NO_ROLE, DataType, Decider, Kind, Role, role_key, role_word
from engine.records.values import retype

__all__ = [
    "NO_ROLE",
    "Column",
    "DataType",
    "Decider",
    "Kind",
    "ReadOptions",
    "Role",
    "Table",
    "retype",
    "role_key",
    "role_word",
]
