"""Tables as integer-coded columns: roles, data types, reading and writing."""

from engine.table.roles import Role
from engine.table.table import Column, Table
from engine.table.types import DataType, Kind

__all__ = ["Column", "DataType", "Kind", "Role", "Table"]
