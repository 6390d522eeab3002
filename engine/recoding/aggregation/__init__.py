"""What is released of a class instead of a label: aggregates of the values its records have."""

from engine.recoding.aggregation.applying import aggregate
from engine.recoding.aggregation.base import AggregateFunction, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues

__all__ = ["AggregateFunction", "OrderedValues", "aggregate", "aggregate_functions"]
