"""Contracts of members: what must be true of a model, metric, builder, algorithm, method or reader.

`python -m engine.testing PACKAGE` checks the members of an installed plug-in. The tests of the program hold
its own members to the same functions of `laws`.
"""
