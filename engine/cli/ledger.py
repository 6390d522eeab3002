"""`anonymizer ledger`: the releases of a source, and what a further one reveals beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.settings import with_settings
from engine.cli.targets import check_target
from engine.errors import InputError
from engine.monitor import Monitor
from engine.pipeline.released_file import snapshot_of_file
from engine.privacy.earlier import Earlier
from engine.project import Project
from engine.project.deciding import refuse_undecided
from engine.project.ledger.joint import Beside, Joint
from engine.project.ledger.ledger_file import Entry, file_digest, open_ledger
from engine.project.ledger.snapshot import entry_of, refuse_elsewhere
from engine.project.recipe.files import in_order, parsed, read_recipe
from engine.records.table_files import exists

IN_ORDER = (
    "The records are in the order of the input, by which releases can be joined. Set shuffle = true under "
    "[transformation] to prevent this."
)
_LISTED = ("number", "time", "node", "way", "shuffled", "codes", "recipient", "audience", "source", "file")


class Action(StrEnum):
    """What to do with a ledger."""

    LIST = "list"
    CHECK = "check"
    ADD = "add"
    FORGET = "forget"


@with_settings
def ledger(
    action: Annotated[
        Action,
        typer.Argument(
            metavar="ACTION",
            help="list: show all releases; check: measure a file beside them; add: record a file that was "
            "released elsewhere; forget: keep only the sizes of the classes of a release.",
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger; its key is LEDGER.key.")],
    which: Annotated[
        int | None, typer.Argument(metavar="NUMBER", help="Number of the release to forget.")
    ] = None,
    recipe: Annotated[
        Path | None, typer.Option("--recipe", help="Recipe (.toml) that the file is a release of.")
    ] = None,
    release: Annotated[
        Path | None, typer.Option("--release", metavar="FILE", help="The released file to check or add.")
    ] = None,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """List the releases of a table, add or forget one, or check a file beside them.

    For example: anonymizer ledger check releases.ledger --recipe recipe.toml --release released.csv. A code
    or record key joins the records of releases, else their order. Exit code 1 if the checked file does not
    meet k and l of the recipe beside the earlier releases.
    """
    if (which is not None) != (action is Action.FORGET):
        raise InputError("Only forget takes a number, and needs one.", hint="List the releases to see it.")
    if action in (Action.LIST, Action.FORGET):
        if recipe is not None or release is not None:
            raise InputError(f"{action} takes no --recipe or --release.", hint="Omit them.")
        book = open_ledger(file)
        if which is not None:
            book = book.forget(which)
        result = {"releases": [_listed(entry) for entry in book.entries]}
        rows = [(str(own["number"]), own["time"], _in_words(own)) for own in result["releases"]]
        show(result, rows, output, quiet, ("release", "recorded", "what it was"))
        return
    if recipe is None or release is None:
        raise InputError(f"{action} needs --recipe and --release.", hint="Give the recipe and the file.")
    if not exists(release):
        raise InputError(f"The file '{release}' does not exist.", hint="Give the file of a release.")
    with progress(quiet) as monitor:
        found, joint = _joined(file, recipe, release, monitor, adds=action is Action.ADD)
    show(found, joint_rows(joint, found["joint"]), output, quiet, ("ledger", ""))
    if action is Action.CHECK:
        joint.refuse_unmet(f"'{release.name}'")


def _joined(
    file: Path, recipe: Path, release: Path, monitor: Monitor, *, adds: bool
) -> tuple[dict[str, Any], Joint]:
    """Measure a file beside the releases of a ledger, and record it if asked."""
    project = read_recipe(recipe, monitor, may_connect=True)
    refuse_undecided(project, recipe.name)
    refuse_elsewhere(project)
    if adds:
        check_target(file, [recipe, release])
    project = with_ledger(project, file, recipe)
    snapshot = snapshot_of_file(project, release, monitor)
    beside = Beside(project, open_ledger(file, creates=adds))
    if not adds:
        beside.refuse_apart()
    joint = beside.joint(snapshot, project.requirement)
    found: dict[str, Any] = {"release": release.name, "joint": joint.as_dict()}
    if adds:
        entry = entry_of(project, snapshot, beside.ledger, release, file_digest(recipe), beside.join)
        beside.ledger.append(entry)
        found["joint"]["number"] = entry.number
    return found, joint


def with_ledger(project: Project, path: Path, recipe: Path) -> Project:
    """Return a project with a ledger, which shuffles if that has a release and the recipe does not say."""
    earlier = replace(project.requirement.earlier or Earlier(str(path)), path=str(path))
    project = replace(project, requirement=replace(project.requirement, earlier=earlier))
    return in_order(parsed(recipe)[0], project)


def joint_rows(joint: Joint, found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what a release reveals beside the earlier ones as rows of a table."""
    if not joint.earlier:
        rows = [("earlier releases", "none in the ledger")]
    else:
        rows = [("earlier releases", ", ".join(map(str, joint.earlier)))]
        rows += [("together", line) for line in joint.lines]
        rows.append(("unique rows", f"{number(joint.unique_tails)} by unchanged cells, in every release"))
    if joint.not_joined:
        rows.append(
            ("not joined", f"{', '.join(map(str, joint.not_joined))}: forgotten, or without a common key")
        )
    if "number" in found:
        rows.append(("recorded as", f"release {found['number']}"))
    return rows


def _listed(entry: Entry) -> dict[str, Any]:
    own = {name: getattr(entry, name) for name in _LISTED}
    joined_by = "code" if entry.joined_by else "order"
    return {**own, "records": entry.n_records, "joined_by": joined_by, "forgotten": entry.is_forgotten}


def _in_words(own: Mapping[str, Any]) -> str:
    node = own["node"] if isinstance(own["node"], str) else f"node {', '.join(map(str, own['node']))}"
    order = "shuffled" if own["shuffled"] else "in order"
    state = "forgotten: it cannot be joined" if own["forgotten"] else f"joined by {own['joined_by']}"
    return f"{number(own['records'])} records, {node}, {order}, {state}"
