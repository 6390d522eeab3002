"""The option `--require` of the commands that measure."""

from typing import Annotated

import typer

RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="CONDITION",
        help="Condition on a measured value, such as 'k >= 5' or 't(illness) <= 0.2' (may be repeated). If "
        "one is not met, all that are not are listed, and the exit code is 1. A value that does not exist "
        "meets no condition.",
    ),
]
