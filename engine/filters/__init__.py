"""A small grammar for filters over columns; typed text is never evaluated as code."""

from engine.filters.conditions import Condition, Filter, Leaf, Missing, OneOf
from engine.filters.grammar import parse, parse_filter
from engine.filters.words import ValueKind

__all__ = ["Condition", "Filter", "Leaf", "Missing", "OneOf", "ValueKind", "parse", "parse_filter"]
