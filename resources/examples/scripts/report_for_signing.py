"""A report as PDF, with purpose and recipient, for the person who signs."""

from pathlib import Path

from engine import apply
from engine.report import ReportSettings

hospital = Path(__file__).parents[1] / "hospital"
released = apply(hospital / "recipe.toml", hospital / "hospital.csv")
settings = ReportSettings(
    purpose="Teaching of statistics", recipient="University", author="Data steward", accepted_risk=0.34
)
print(released.report("report.pdf", settings))
print(released.report("public.html", ReportSettings(audience="public")))
