"""How a node of a project becomes a release, as [transformation] and [identifiers] of a recipe."""

from __future__ import annotations

from typing import Any

from engine.params import plain_values_of
from engine.privacy import Requirement
from engine.project.project import Project
from engine.project.recipe.toml_text import quoted, table_text
from engine.recoding import Transformation
from engine.recoding.identifiers import identifier_rules


def limits_of(requirement: Requirement) -> dict[str, Any]:
    """What a requirement says of suppression, by key; what is as usual is left out but for the limit."""
    usual, values = Requirement(), {"suppression_limit": requirement.suppression_limit}
    others = {name: getattr(requirement, name) for name in ("limit_counts", "whole_persons")}
    return values | {name: value for name, value in others.items() if value != getattr(usual, name)}


def transformation_blocks(project: Project) -> list[str]:
    """Return [transformation], and the rules of single columns after it."""
    chosen, usual = project.transformation, Transformation()
    values = limits_of(project.requirement)
    values |= {name: getattr(chosen, name) for name in ("suppressed_records", "identifying")}
    for name in ("blank_suppressed", "shuffle", "seed"):
        if getattr(chosen, name) != getattr(usual, name):
            values[name] = getattr(chosen, name)
    plain = plain_values_of(identifier_rules.create(chosen.identifying, **chosen.identifying_options))
    values |= {name: plain[name] for name in chosen.identifying_options}
    blocks = [table_text("[transformation]", values)]
    for column, rule in chosen.identifiers.items():
        blocks.append(
            table_text(f"[identifiers.{quoted(column)}]", {"rule": rule.key, **plain_values_of(rule)})
        )
    return blocks
