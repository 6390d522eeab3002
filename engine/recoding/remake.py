"""A release made once more, for another way to write it."""

from __future__ import annotations

from engine.recoding.full_domain import make_release
from engine.recoding.local import make_local_release
from engine.recoding.release import Release
from engine.recoding.transformation import ReleaseSource


def remade(source: ReleaseSource, release: Release) -> Release:
    """Return the same records on the same levels, with what `source` says of the other cells.

    Parameters
    ----------
    source : ReleaseSource
        The project, changed in nothing but how a release is written.
    release : Release
    """
    if release.recoding is not None:
        return make_local_release(
            source, release.problem, release.recoding, release.method, release.node, release.requirement
        )
    assert release.node is not None, "what is no recoding is a node"
    return make_release(source, release.problem, release.node, release.requirement)
