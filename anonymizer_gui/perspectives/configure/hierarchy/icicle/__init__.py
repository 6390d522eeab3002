"""Icicle plot of a hierarchy, edited by mouse and keys: values at the bottom, groups above."""
