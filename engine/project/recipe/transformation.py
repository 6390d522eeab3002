"""[transformation] and [identifiers] of a recipe: how a node becomes a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.params import describe
from engine.privacy import Requirement
from engine.privacy.requirement import LIMITED
from engine.project.project import frozen
from engine.project.recipe.members import member_of
from engine.project.recipe.section import IDENTIFIER_KEYS, TRANSFORMATION_KEYS, Section
from engine.recoding import Transformation
from engine.recoding.identifiers import IdentifierRule, identifier_rules


def read_transformation(recipe: Section) -> tuple[Transformation, Requirement]:
    """Return how a node becomes a release, and what may be suppressed, which stands in the same table."""
    section = recipe.section("transformation")
    usual = Transformation()
    rule = section.one_of("identifying", identifier_rules.family, identifier_rules, usual.identifying)
    options = _options(section, rule)
    chosen = Transformation(
        suppressed_records=section.one_of(
            "suppressed_records", "way to suppress records", ("star", "remove"), usual.suppressed_records
        ),
        blank_suppressed=section.get("blank_suppressed", bool, usual.blank_suppressed),
        identifying=rule,
        identifying_options=options,
        shuffle=section.get("shuffle", bool, usual.shuffle),
        identifiers=frozen(_identifiers(recipe.section("identifiers"))),
        seed=section.count("seed", usual.seed),
    )
    return chosen, read_limit(section, Requirement().suppression_limit)


def read_limit(section: Section, usual: float) -> Requirement:
    """What a table says of suppression, as a requirement without models; `usual` is the limit left out."""
    asked = Requirement()
    return Requirement(
        suppression_limit=section.fraction("suppression_limit", usual),
        limit_counts=section.one_of("limit_counts", "thing to limit", LIMITED, asked.limit_counts),
        whole_persons=section.get("whole_persons", bool, asked.whole_persons),
    )


def _options(section: Section, rule: str) -> Mapping[str, Any]:
    """The parameters of the rule for all identifying columns, which stand beside its name."""
    own = [descriptor.name for descriptor in describe(identifier_rules[rule])]
    section.check_keys((*TRANSFORMATION_KEYS, *own))
    given = {name: value for name, value in section.values.items() if name in own}
    made = member_of(section, identifier_rules, rule, given, section.title)
    return frozen({name: getattr(made, name) for name in given})


def _identifiers(section: Section) -> dict[str, IdentifierRule]:
    found = {}
    for column in section.values:
        entry = Section(section.file, f'identifiers."{column}"', section.get(column, dict, {}))
        key = entry.one_of("rule", identifier_rules.family, identifier_rules, "")
        given = {name: value for name, value in entry.values.items() if name not in IDENTIFIER_KEYS}
        found[column] = member_of(entry, identifier_rules, key, given, entry.title)
    return found
