"""`anonymizer questionnaire`: from answers about the recipient to thresholds with their sources."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.console import Format, FormatOption, QuietOption, progress, show
from engine.cli.settings import with_settings
from engine.cli.targets import check_target
from engine.errors import InputError
from engine.project.answers import QUESTIONS, Answers
from engine.project.project import Project
from engine.project.questionnaire import Demand, demands, effects, set_answers, weaker
from engine.project.recipe.files import read_recipe, write_recipe


@with_settings
def questionnaire(
    recipe: Annotated[
        Path | None,
        typer.Argument(metavar="RECIPE", help="Recipe (.toml); without one, all questions are listed."),
    ] = None,
    answers: Answers = Answers(),
    known: Annotated[
        list[str] | None,
        typer.Option("--known", metavar="COLUMN", help="Column an attacker could know (may be repeated)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="RECIPE", help="Write the recipe with the answers and what they demand."
        ),
    ] = None,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Answer who receives a release and what harm is possible; see which thresholds follow.

    For example: anonymizer questionnaire people.toml --recipient public --contract none --knowledge
    acquaintance --harm medium --rules none --out strict.toml. Options replace the answers of the recipe.
    Nothing becomes weaker. Without a recipe, the command lists all questions with their answers.
    """
    if recipe is None:
        if answers.is_given or known or out is not None:
            raise InputError(
                "Answers need a recipe.",
                hint="Name the recipe first: anonymizer questionnaire people.toml --recipient public.",
            )
        rows = [
            (question.key if i == 0 else "", question.asks if i == 0 else "", answer.key, answer.title)
            for question in QUESTIONS
            for i, answer in enumerate(question.answers)
        ]
        show(_questions(), rows, output, quiet, ("option", "question", "answer", "meaning"))
        return
    if out is not None:
        check_target(out, [recipe])
    with progress(quiet) as monitor:
        project = read_recipe(recipe, monitor)
    for name in known or ():
        project.table.column(name)
    given = {q.key: value for q in QUESTIONS if (value := getattr(answers, q.key))}
    asked = replace(project.answers, **given)
    if known:
        asked = replace(asked, known=tuple(dict.fromkeys(known)))
    found = demands(project, asked)
    if out is not None:
        write_recipe(set_answers(project, asked), out)
    show(
        {"answers": _answered(project, asked), "demands": [_as_dict(demand) for demand in found]},
        _rows(found),
        output,
        quiet,
        ("demanded", "set", "met", "because", "source"),
    )


def tell_of_weaker(project: Project) -> None:
    """Note on stderr what a recipe's answers demand and its settings lack."""
    for demand in weaker(project):
        words = f"weaker than the answers demand: {demand.words} (set: {demand.current})"
        sys.stderr.write(f"Note: {words}\n")


def _questions() -> dict[str, Any]:
    return {
        "questions": [
            {
                "key": question.key,
                "asks": question.asks,
                "answers": [
                    {"key": answer.key, "title": answer.title, "effect": answer.effect}
                    for answer in question.answers
                ],
            }
            for question in QUESTIONS
        ]
    }


def _answered(project: Project, answers: Answers) -> list[dict[str, Any]]:
    demanded = effects(project, answers)
    found: list[dict[str, Any]] = [
        {
            "question": question.key,
            "answer": answer.key if answer is not None else None,
            "effect": answer.effect if answer is not None else None,
            "demands": list(demanded[question.key]),
        }
        for question, answer in answers.pairs
    ]
    return [*found, {"question": "known", "answer": list(answers.known)}]


def _as_dict(demand: Demand) -> dict[str, Any]:
    return {
        "key": demand.key,
        "demand": demand.words,
        "threshold": None if demand.model is None else demand.model.limit,
        "current": demand.current,
        "met": demand.is_met,
        "note": demand.note or None,
        "reasons": [
            {
                "rule": reason.rule.key,
                "demand": reason.words,
                "answers": {question.key: answer.key for question, answer in reason.answers},
                "why": reason.rule.why,
                "source": reason.rule.source,
                "decides": reason.decides,
            }
            for reason in demand.reasons
        ],
    }


def _rows(found: Sequence[Demand]) -> list[Sequence[str]]:
    return [
        (
            demand.words if i == 0 else f"({reason.words})",
            demand.current if i == 0 else "",
            ("yes" if demand.is_met else "no") if i == 0 else "",
            reason.because,
            reason.rule.source,
        )
        for demand in found
        for i, reason in enumerate(demand.reasons)
    ]
