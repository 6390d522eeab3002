"""Reports on a release: content by section, and one renderer per format."""

from engine.findings.blocks import Chart
from engine.findings.settings import INTERNAL, PUBLIC, ReportSettings
from engine.report.content import ReportContent
from engine.report.content_builder import (
    ENDINGS,
    refuse_report_ending,
    rendered,
    report_of,
    write_report,
)
from engine.report.sections.material import ReportedFile, ReportedRelease, SearchFacts, Verification

__all__ = [
    "ENDINGS",
    "INTERNAL",
    "PUBLIC",
    "Chart",
    "ReportContent",
    "ReportSettings",
    "ReportedFile",
    "ReportedRelease",
    "SearchFacts",
    "Verification",
    "refuse_report_ending",
    "rendered",
    "report_of",
    "write_report",
]
