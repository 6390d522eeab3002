"""Pages of the documentation site that are not files: members, reference, Python interface, navigation."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from anonymizer_gui.help.library import CONTENTS, GENERATED, SHOW_ME, HelpLibrary, anchor_of, generated_page

_LINK = re.compile(r"\]\(([\w-]+\.md)\)")
_INTERFACE = "Python interface"
_PAGES = {
    "api-frames": (
        "Releases of DataFrames",
        "engine.python.anonymizing.anonymize",
        "engine.python.released.Released",
        "engine.python.estimator.KAnonymizer",
        "engine.python.anonymizing.suggest_hierarchies",
    ),
    "api-measuring": (
        "Measuring a table",
        "engine.findings.model_check",
        "engine.findings.CheckReport",
        "engine.findings.measure_utility",
        "engine.findings.UtilityReport",
        "engine.findings.assess_risk",
        "engine.findings.RiskReport",
        "engine.findings.assess_survey",
        "engine.findings.SurveyRisk",
        "engine.findings.assess_special_uniques",
        "engine.findings.SpecialUniques",
        "engine.findings.assess_wildcards",
        "engine.findings.WildcardRisk",
        "engine.findings.attack_statistics",
        "engine.findings.AttackStatistics",
        "engine.findings.detect",
        "engine.findings.Detection",
        "engine.python.anonymizing.suggest_roles",
        "engine.qi_detection.suggest.RoleSuggestion",
        "engine.recoding.singleton_variants.singleton_variants",
        "engine.recoding.singleton_variants.SingletonStudy",
    ),
    "api-tables": (
        "Tables, filters and hierarchies",
        "engine.records.opening.files.read_table",
        "engine.records.Table",
        "engine.records.Column",
        "engine.records.ReadOptions",
        "engine.records.opening.data_frames.as_table",
        "engine.records.filtering.records_where",
        "engine.hierarchies.Hierarchy",
        "engine.hierarchies.read_hierarchy",
        "engine.hierarchies.write_hierarchy",
    ),
    "api-projects": (
        "Projects and releases",
        "engine.project.recipe.files.read_recipe",
        "engine.project.recipe.files.write_recipe",
        "engine.pipeline.anonymize",
        "engine.pipeline.Outcome",
        "engine.pipeline.export_release",
        "engine.project.Project",
        "engine.project.AttributeHierarchy",
        "engine.project.Population",
        "engine.project.Subset",
        "engine.project.SearchSettings",
        "engine.project.Transformation",
        "engine.privacy.Requirement",
    ),
    "api-edits": ("Changes of a project", "engine.project.edits"),
    "api-compat": (
        "Values of other libraries",
        "engine.compat.check",
        "engine.compat.measure_utility",
    ),
    "api-errors": ("Errors and progress", "engine.errors", "engine.monitor.Monitor"),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give headings the anchors of the help panel, and the navigation the order of the contents page."""
    config.mdx_configs["toc"] = {"slugify": lambda heading, _separator: anchor_of(heading), "permalink": True}
    contents = HelpLibrary().page(CONTENTS)
    seen: set[str] = set()
    config.nav = [f"{CONTENTS}.md"]
    for section in contents.sections[1:]:
        pages = [page for page in dict.fromkeys(_LINK.findall(section.text)) if page not in seen]
        seen.update(pages)
        config.nav.append({section.heading: pages})
    config.nav.append({_INTERFACE: [f"{name}.md" for name in _PAGES]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of members, the reference and the Python interface."""
    written = {name: generated_page(name) for name in GENERATED}
    written |= {name: _interface_page(*page) for name, page in _PAGES.items()}
    for name, text in written.items():
        files.append(File.generated(config, f"{name}.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Remove the links that only the program can follow."""
    return SHOW_ME.sub("", markdown)


def _interface_page(title: str, *names: str) -> str:
    return "\n\n".join([f"# {title}", *_directives(names)])


def _directives(names: tuple[str, ...]) -> Iterator[str]:
    """Write a directive of mkdocstrings for each name, which finds it in the module that defines it."""
    for name in names:
        package, _, member = name.rpartition(".")
        found = getattr(importlib.import_module(package), member)
        defined = f"{found.__module__}.{member}" if hasattr(found, "__module__") else name
        yield f"::: {defined}\n    options:\n      heading: {name}\n      toc_label: {member}"
