"""Orders drawn at random, found again from the seed and the original."""

from __future__ import annotations

import hashlib

import pandas as pd

from engine.verification.reading import Vocabulary
from engine.verification.subsets import mixed

_GAMMA = 0x9E3779B97F4A7C15


def start_of(original: pd.DataFrame, known: dict[str, Vocabulary], seed: int) -> int:
    """The first 8 bytes of the SHA-256 of seed, number of records and all columns.

    Of a column: its name and its texts in the order in which they first occur, each after its length in
    bytes, and for every record the place of its text among them, in 8 bytes.
    """
    digest = hashlib.sha256(f"{seed} {len(original)}".encode())
    for name in original.columns:
        places, codes = pd.factorize(original[name])
        for text in (name, *(known[name].texts[code] for code in codes.tolist())):
            data = text.encode("utf-8", "surrogatepass")
            digest.update(f"{len(data)} ".encode() + data)
        digest.update(places.astype("<i8").tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def drawn_order(count: int, start: int) -> list[int]:
    """The places 0 to `count` - 1 by the numbers that SplitMix64 draws for them."""
    numbers = [mixed(start + (place + 1) * _GAMMA) for place in range(count)]
    return sorted(range(count), key=numbers.__getitem__)


def put_back(released: pd.DataFrame, start: int) -> pd.DataFrame:
    """The records of a shuffled file in the order of the original."""
    places = pd.Series(range(len(released)), index=drawn_order(len(released), start)).sort_index()
    return released.take(places.tolist()).reset_index(drop=True)
