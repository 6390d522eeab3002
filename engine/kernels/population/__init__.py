"""Estimators of population uniques from the class sizes of a sample."""
