"""Option with the secret of a random draw, so that commands can make the same release again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import InputError
from engine.files import open_regular
from engine.project import Project
from engine.recoding.rules.keyed_hash import make_key

SamplingKeyOption = Annotated[
    Path | None,
    typer.Option(
        "--sampling-key",
        metavar="FILE",
        help="For differential privacy: file with the secret of the draw, created if it does not exist. The "
        "same secret draws the same records. Without it, every run draws others.",
    ),
]


def with_sampling_key(project: Project, path: Path | None, *, creates: bool = True) -> Project:
    """Return the project with the secret in a file.

    Parameters
    ----------
    creates : bool
        Whether the file is created if it does not exist; an existing release needs its own secret.

    Raises
    ------
    InputError
        The project draws no records, or the file is not a secret or does not exist.
    """
    if path is None:
        return project
    if project.requirement.sampling is None:
        raise InputError(
            "--sampling-key is only used with differential privacy.", hint="Omit it, or add the model."
        )
    if not path.exists():
        if not creates:
            raise InputError(
                f"The secret '{path.name}' does not exist.",
                hint="Give the --sampling-key that the release was made with.",
            )
        make_key(path)
    try:
        with open_regular(path) as file:
            text = file.read(100).strip()
    except OSError as error:
        raise InputError(
            f"The secret '{path.name}' cannot be read: {error.strerror or error}.",
            hint="Choose a file that you may read.",
        ) from None
    if re.fullmatch(b"[0-9a-f]{64}", text) is None:
        raise InputError(
            f"'{path.name}' is not a secret of this program.",
            hint="It has 64 hexadecimal digits; name a file that does not exist to create one.",
        )
    return replace(project, sampling_key=text.decode())
