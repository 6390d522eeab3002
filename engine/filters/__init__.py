"""A small grammar for filters over columns of numbers; nothing that is typed is ever evaluated as code."""

from engine.filters.grammar import Condition, Filter, parse_filter

__all__ = ["Condition", "Filter", "parse_filter"]
