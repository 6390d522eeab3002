"""Search algorithms, one file each: which node to release."""

from engine.search.base import SearchAlgorithm, SearchResult, SearchTask, search_algorithms

__all__ = ["SearchAlgorithm", "SearchResult", "SearchTask", "search_algorithms"]
