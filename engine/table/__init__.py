"""Tables as integer-coded columns: roles, data types, reading and writing."""

from engine.table.options import ReadOptions
from engine.table.reading import read, read_csv, read_table
from engine.table.table import Column, Table
from engine.table.types import NO_ROLE, DataType, Decider, Kind, Role, role_key, role_word
from engine.table.values import retype
from engine.table.writing import write_csv

__all__ = [
    "NO_ROLE",
    "Column",
    "DataType",
    "Decider",
    "Kind",
    "ReadOptions",
    "Role",
    "Table",
    "read",
    "read_csv",
    "read_table",
    "retype",
    "role_key",
    "role_word",
    "write_csv",
]
