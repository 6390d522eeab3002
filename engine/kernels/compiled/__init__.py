"""Kernels compiled to machine code; importing any of them imports numba."""
