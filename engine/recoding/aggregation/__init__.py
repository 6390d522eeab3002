"""Aggregates of a class, released instead of labels: aggregates of the values its records have."""

from engine.recoding.aggregation.base import AggregateFunction, aggregate, aggregate_functions
from engine.recoding.aggregation.values import OrderedValues

__all__ = ["AggregateFunction", "OrderedValues", "aggregate", "aggregate_functions"]
