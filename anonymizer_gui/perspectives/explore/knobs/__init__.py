"""The knobs over everything: thresholds, limit and metric, with the curves they stand on."""
