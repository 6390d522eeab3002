"""Searching with an algorithm and improving a release: the dialogs and what fills them."""
