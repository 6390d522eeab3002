"""What a release keeps of its input, and what it still gives away: one file per question."""

from engine.analysis.base import Analysis, Findings, risk_analyses, utility_analyses
from engine.analysis.subject import Subject
from engine.analysis.tables import FigureColumn, FigureTable

__all__ = [
    "Analysis",
    "FigureColumn",
    "FigureTable",
    "Findings",
    "Subject",
    "risk_analyses",
    "utility_analyses",
]
