"""Limits of a table that is not in memory, as errors with a hint."""

from __future__ import annotations

from engine.errors import ExportError, InputError
from engine.numbers import as_exact_count
from engine.project.project import Project
from engine.recoding.ruled import rule_of
from engine.records.options import CLUSTER, CSV, PARQUET, ExportOptions
from engine.records.remote import Order
from engine.words import _


def refuse_without_records(project: Project) -> None:
    """Refuse settings that need every record in memory if the table is not there.

    Raises
    ------
    InputError
    """
    if project.table.home is None:
        return
    n_records = as_exact_count(project.table.n_records)
    remote = project.remote
    if remote is not None and project.subset is not None:
        raise InputError(
            _("A subset needs the records, and the {n} of this table stay in '{name}'.").format(
                n=n_records, name=remote.name
            ),
            hint=_("Let a view select them, and open the view."),
        )
    if remote is not None and remote.order is Order.NONE and project.transformation.shuffle:
        raise InputError(
            _("The records of this table have no order, so they cannot be shuffled."),
            hint=_("Switch shuffling off.")
            if remote.kind == CLUSTER
            else _("Switch shuffling off, or set order_by to columns that identify each record."),
        )
    if project.recoding is not None:
        raise InputError(
            _("{method} needs the records in memory; {n} do not fit.").format(
                method=project.recoding.title, n=n_records
            ),
            hint=_("Release a node without it, or a [subset]."),
        )
    if project.microaggregation:
        raise InputError(
            _("Aggregates of classes need the records in memory; {n} do not fit.").format(n=n_records),
            hint=_("Release labels, or a [subset]."),
        )
    for name in project.table.names:
        rule = rule_of(project, name)
        if rule is not None and rule.is_by_record and remote is not None and remote.order is Order.NONE:
            raise InputError(
                _(
                    "The database returns these records in no fixed order, so '{name}' has no date shift."
                ).format(name=name),
                hint=_("Use another rule, or set order_by to columns that identify each record."),
                column=name,
            )


def refuse_unstreamed(options: ExportOptions) -> None:
    """Refuse a format that is not written record by record.

    Raises
    ------
    ExportError
    """
    if options.kind not in (CSV, PARQUET):
        raise ExportError(
            _("A table that is not in memory cannot be released in this format: {format}.").format(
                format=_(options.kinds()[options.kind])
            ),
            hint=_("Choose a name that ends in .csv or .parquet."),
        )
