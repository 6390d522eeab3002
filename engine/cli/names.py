"""Names of all commands, each with a line of help; they load nothing else."""

from __future__ import annotations

COMMANDS = {
    "lattice": "Score every node of a recipe's lattice and write one line per node.",
    "anonymize": "Release the optimum of a recipe, or the given node, and verify the written file.",
    "hierarchy": "Build the hierarchy of a column and write it, or check an existing one against the column.",
    "questionnaire": "Answer who receives a release and what harm is possible; see which thresholds follow.",
    "check": "Measure how well any table protects the people in it, without hierarchies.",
    "detect": "Find identifiers, and the columns that together single out most records.",
    "singletons": "Try every way to generalize columns until no record is unique, and name the best.",
    "verify": "Verify a released file by independent code against what its recipe promises.",
    "utility": "Measure the utility loss of any released table against its original.",
    "risk": "Measure the re-identification risk of any table.",
    "report": "Write a report of a recipe's release, or of a table anonymized elsewhere.",
    "attack": "Attack a test release of a recipe, and compare with people who are not in it.",
    "analyze": "Run one of the analyses of the window on a recipe's release.",
    "ledger": "List the releases of a table, add or forget one, or check a file beside them.",
    "convert": "Convert an ARX project to a recipe with table and hierarchies, or a recipe to files for ARX.",
    "schema": "Print the JSON Schema of recipes, or of the JSON that a command prints.",
}
"""Every command with the first line of its help; knowing them costs no other import.

A command is the function of its name in the module of its name.
"""
