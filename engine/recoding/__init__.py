"""From a node to a release: generalized columns, suppressed records."""

from engine.recoding.full_domain import make_release
from engine.recoding.release import Release, ReleasedColumn
from engine.recoding.transformation import Transformation

__all__ = ["Release", "ReleasedColumn", "Transformation", "make_release"]
