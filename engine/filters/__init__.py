"""A small grammar for filters over columns; typed text is never evaluated as code."""

from engine.filters.conditions import Among, Condition, Filter, Leaf, Missing
from engine.filters.grammar import parse, parse_filter
from engine.filters.words import Holds

__all__ = ["Among", "Condition", "Filter", "Holds", "Leaf", "Missing", "parse", "parse_filter"]
