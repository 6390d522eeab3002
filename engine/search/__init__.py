"""Search algorithms, one file each, that find the node to release."""

from engine.search.base import SearchAlgorithm, SearchResult, search_algorithms
from engine.search.search import SearchTask
from engine.search.trace import Efficiency, Trace

__all__ = ["Efficiency", "SearchAlgorithm", "SearchResult", "SearchTask", "Trace", "search_algorithms"]
