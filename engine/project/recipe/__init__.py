"""Recipes: one codec between declared settings and files, TOML for people and JSON in project files."""
