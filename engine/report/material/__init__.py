"""Subjects of reports: a release or a given file, with the settings of its report."""
