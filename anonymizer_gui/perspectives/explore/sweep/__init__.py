"""The optimum over a threshold and the suppression limit, as a heat map and as curves."""
