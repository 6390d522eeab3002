"""Dialogs that run a search algorithm or improve a release, with their presenters."""
