"""Optimum for every threshold and suppression limit, as a heat map and as curves."""
