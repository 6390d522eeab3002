"""From a node, or a level for every cell, to a release: recoded columns, suppressed records."""

from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods, rooted
from engine.recoding.full_domain import make_release
from engine.recoding.local import make_local_release
from engine.recoding.release import Release, ReleasedColumn
from engine.recoding.transformation import Transformation

__all__ = [
    "Recoding",
    "RecodingMethod",
    "RecodingTask",
    "Release",
    "ReleasedColumn",
    "Transformation",
    "make_local_release",
    "make_release",
    "recoding_methods",
    "rooted",
]
