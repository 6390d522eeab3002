"""Distinct texts of columns that Arrow reads block by block, and the code of each record."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from engine.kernels.arrays import Codes
from engine.memory import Freed
from engine.table.text_chunks import ascends, listed, numbers

_FEW = 4096  # distinct texts of a column, over all blocks, that Python joins faster than Arrow is imported
_THREADS = 2  # columns that are coded at the same time; each needs memory for its texts twice


class Coded:
    """Cells of a column, added block by block; in a block of coded cells each text is once."""

    def __init__(self) -> None:
        self._texts: list[Any] = []  # of each block, as Arrow holds them: the distinct ones or all
        self._codes: list[Codes | None] = []  # positions in the distinct ones

    @property
    def n_bytes(self) -> int:
        """Bytes of the texts of all blocks."""
        return sum(texts.nbytes for texts in self._texts)

    def add(self, block: Any) -> None:
        """Add the cells of further records."""
        if not len(block):
            return
        if not hasattr(block, "dictionary"):
            self._codes.append(None)
            self._texts.append(block)
            return
        codes = numbers(block.indices)
        is_short = len(block.dictionary) <= np.iinfo(np.uint16).max
        self._codes.append(codes.astype(np.uint16) if is_short else codes)
        self._texts.append(block.dictionary)

    def whole(self) -> tuple[Any, Codes]:
        """Return all texts in their order, as Arrow or Python holds them, and the codes; drop the blocks."""
        if not self._codes:
            return [], np.zeros(0, dtype=np.int32)
        if sum(map(len, self._texts)) <= _FEW:
            return self._whole_of_few()

        import pyarrow as pa
        from pyarrow import compute

        coded = pa.chunked_array(self._texts).dictionary_encode()
        self._texts = []
        places = [numbers(chunk.indices) for chunk in coded.chunks]
        texts = coded.chunk(0).dictionary  # every chunk has the dictionary of all
        del coded
        rank: Codes | None = None
        if not ascends(texts):
            order = compute.sort_indices(texts)
            texts = texts.take(order)
            rank = np.empty(len(texts), dtype=np.int32)
            rank[numbers(order)] = np.arange(len(texts), dtype=np.int32)
            del order
        blocks = list(zip(places, self._codes, strict=True))
        n_records = sum(len(own if block is None else block) for own, block in blocks)
        codes, start = np.empty(n_records, dtype=np.int32), 0
        for own, block in blocks:
            ranked = own if rank is None else rank[own]
            end = start + len(ranked if block is None else block)
            codes[start:end] = ranked if block is None else ranked[block]
            start = end
        self._codes = []
        return texts, codes

    def _whole_of_few(self) -> tuple[list[str], Codes]:
        """Return the same in Python, which is faster for few texts, as in a table of many columns."""
        blocks = [texts.to_pylist() for texts in self._texts]
        ordered = sorted(set().union(*blocks))
        rank = {text: i for i, text in enumerate(ordered)}
        own = [np.array([rank[text] for text in block], dtype=np.int32) for block in blocks]
        codes = np.concatenate(
            [
                places if block is None else places[block]
                for places, block in zip(own, self._codes, strict=True)
            ]
        )
        self._texts, self._codes = [], []
        return ordered, codes


def coded_in_turn(columns: Sequence[Coded]) -> Iterator[tuple[int, tuple[Sequence[str], Codes]]]:
    """Yield the place, the texts and the codes of each column, the largest first; some are coded ahead."""
    order = deque(sorted(range(len(columns)), key=lambda i: -columns[i].n_bytes))
    sizes = [column.n_bytes for column in columns]
    freed = Freed()
    with ThreadPoolExecutor(_THREADS) as threads:
        ahead: deque[tuple[int, Future[tuple[Any, Codes]]]] = deque()
        while order or ahead:
            while order and len(ahead) < _THREADS:
                i = order.popleft()
                ahead.append((i, threads.submit(columns[i].whole)))
            i, coded = ahead.popleft()
            texts, codes = coded.result()
            del coded
            found = texts if isinstance(texts, list) else listed(texts)
            freed.add(sizes[i])
            yield i, (found, codes)
