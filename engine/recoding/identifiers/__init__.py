"""Rules for identifying columns: each rule a file."""

from engine.recoding.identifiers.base import (
    IdentifierRule,
    RuleContext,
    identifier_rules,
    with_rule_paths,
)

__all__ = ["IdentifierRule", "RuleContext", "identifier_rules", "with_rule_paths"]
