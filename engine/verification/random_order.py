"""Random orders, recomputed from the seed and the original."""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pandas as pd

from engine.verification.findings import refuse_many_values
from engine.verification.readers.collecting import Vocabulary
from engine.verification.readers.reading import Reading, read_pieces

_BYTES = 1 << 22
_GAMMA = 0x9E3779B97F4A7C15


def start_of(
    original: pd.DataFrame, known: dict[str, Vocabulary], seed: int, step: Callable[[], None]
) -> int:
    """Return the first 8 bytes of the SHA-256 of seed, number of records and all columns.

    A column contributes its name and its texts in order of first occurrence, each after its length in
    bytes, and per record the position of its text among them, in 8 bytes.
    `step` is called for each column, and may raise to stop.
    """
    digest = hashlib.sha256(f"{seed} {len(original)}".encode())
    for name in original.columns:
        step()
        places, codes = pd.factorize(original[name])
        texts = [name, *map(known[name].texts.__getitem__, codes.tolist())]
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        digest.update(b"".join(str(len(data)).encode() + b" " + data for data in encoded))
        digest.update(places.astype("<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def start_of_files(
    files: Iterable[Reading], seed: int, folder: Path | None, progress: Callable[[float], None]
) -> int:
    """Return what `start_of` does for a table in files, read piece by piece.

    The positions wait in files that nobody else can open.

    Parameters
    ----------
    files : iterable of Reading
        The original.
    seed : int
    folder : Path or None
        Private folder; None for that of the system.
    progress : callable
        Called with the part of each file that is read; may raise to stop.
    """
    known: dict[str, Vocabulary] = {}
    place = None if folder is None else str(folder)
    n_records = 0
    with ExitStack() as closed:
        columns: dict[str, IO[bytes]] = {}
        for reading in files:
            for piece in read_pieces(reading, known, progress):
                n_records += len(piece)
                for name in piece.columns:
                    if name not in columns:
                        columns[name] = closed.enter_context(tempfile.TemporaryFile(dir=place))
                    refuse_many_values(name, len(known[name].texts))
                    columns[name].write(piece[name].to_numpy().astype("<i4").tobytes())
        digest = hashlib.sha256(f"{seed} {n_records}".encode())
        for name, file in columns.items():
            texts = [name, *known[name].texts]
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
            digest.update(b"".join(str(len(data)).encode() + b" " + data for data in encoded))
            file.seek(0)
            while data := file.read(_BYTES):
                progress(1.0)
                digest.update(pd.Series(array("i", data)).to_numpy().astype("<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def own_start(start: int, use: str) -> int:
    """Return the start of one use, `rows` or `column` and its name; each use draws other numbers."""
    data = start.to_bytes(8, byteorder="little") + use.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], byteorder="little")


def drawn_order(count: int, start: int) -> list[int]:
    """Return the positions 0 to `count` - 1, sorted by the numbers SplitMix64 draws for them."""
    order: list[int] = drawn_numbers(0, count, start).sort_values(kind="stable").index.tolist()
    return order


def drawn_numbers(first: int, count: int, start: int) -> pd.Series[int]:
    """Return the numbers of 64 bits that SplitMix64 draws for `count` positions from the first on."""
    numbers = (
        pd.Series(range(first + 1, first + count + 1), dtype="uint64") * _GAMMA + start
    )  # modulo 2 ** 64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        numbers = (numbers ^ numbers // (1 << shift)) * factor
    return numbers


def put_back(released: pd.DataFrame, start: int) -> pd.DataFrame:
    """Return the records of a shuffled file in the order of the original."""
    places = pd.Series(range(len(released)), index=drawn_order(len(released), own_start(start, "rows")))
    return released.take(places.sort_index().tolist()).reset_index(drop=True)
