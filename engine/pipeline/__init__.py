"""The complete chain from a project to a verified file."""

from engine.pipeline.export import export_release
from engine.pipeline.figures import source_figures, summary
from engine.pipeline.judging import judge_file, verify_promises
from engine.pipeline.making import (
    Outcome,
    anonymize,
    evaluate_node,
    recode,
    refuse_impossible,
    search,
    search_task,
)
from engine.pipeline.writing import refuse_ending, write_release

__all__ = [
    "Outcome",
    "anonymize",
    "evaluate_node",
    "export_release",
    "judge_file",
    "recode",
    "refuse_ending",
    "refuse_impossible",
    "search",
    "search_task",
    "source_figures",
    "summary",
    "verify_promises",
    "write_release",
]
