"""Operations on many texts, or a long one, in pieces: a single call would block every other thread."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from operator import le
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, FloatArray, IntArray
from engine.processes import Freed

PIECE = 2048  # texts per call: well below a millisecond
_BYTES = 1 << 20  # the same for bytes
_FEW = 20_000  # texts that Python sorts in a few milliseconds


class Texts(Sequence[str]):
    """Different texts of a column, held by Arrow: in a fifth of Python's memory, and much faster.

    Parameters
    ----------
    listed : sequence of str
        The texts, if Arrow does not hold them yet; it is given them once it is asked.
    """

    __slots__ = ("_arrow", "_listed")

    def __init__(self, listed: Sequence[str] = (), arrow: Any = None) -> None:
        self._listed = listed if arrow is None else None
        self._arrow = arrow

    @property
    def arrow(self) -> Any:
        """The texts as an Arrow array; None if one has a lone surrogate, as a workbook may."""
        if self._arrow is None and self._listed is not None:
            import pyarrow as pa

            try:
                parts = [pa.array(piece, pa.large_string()) for piece in pieces(self._listed)]
            except UnicodeEncodeError:
                return None
            self._arrow = pa.concat_arrays(parts) if parts else pa.array([], pa.large_string())
        return self._arrow

    def __len__(self) -> int:
        return len(self._arrow) if self._listed is None else len(self._listed)

    def __iter__(self) -> Iterator[str]:
        if self._listed is not None:
            return iter(self._listed)
        starts = range(0, len(self), PIECE)
        return chain.from_iterable(self._arrow.slice(start, PIECE).to_pylist() for start in starts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if self._listed is not None:
            return self._listed[place]
        found: str | list[str] = (
            self._arrow[place].to_pylist() if isinstance(place, slice) else self._arrow[place].as_py()
        )
        return found

    def __contains__(self, text: object) -> bool:
        return self._place(text) >= 0

    def index(self, text: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a text."""
        place = self._place(text)
        if not start <= place < (len(self) if stop is None else stop):
            raise ValueError(text)
        return place

    def _place(self, text: object) -> int:
        arrow = self.arrow
        if arrow is None and self._listed is not None:
            return self._listed.index(str(text)) if text in self._listed else -1
        from pyarrow import compute

        try:
            return int(compute.index(arrow, text).as_py())
        except UnicodeEncodeError:
            return -1

    def without(self, text: str) -> Texts:
        """Return the other texts."""
        if self.arrow is None:
            return Texts([other for other in self if other != text])
        from pyarrow import compute

        return Texts(arrow=self.arrow.filter(compute.not_equal(self.arrow, text)))

    def and_text(self, text: str) -> Texts:
        """Return the texts, which Arrow holds, and another one after them."""
        import pyarrow as pa

        return Texts(arrow=pa.concat_arrays([self.arrow, pa.array([text], self.arrow.type)]))

    def at(self, places: IntArray) -> Texts:
        """Return the texts at some places, in that order."""
        if self.arrow is None:
            return Texts(list(map(self.__getitem__, places.tolist())))
        import pyarrow as pa

        return Texts(arrow=self.arrow.take(pa.array(places)))


def pieces(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in pieces."""
    rest = iter(texts)
    while piece := list(islice(rest, PIECE)):
        yield piece


def all_match(pattern: re.Pattern[str], texts: Iterable[str]) -> bool:
    """Return whether every text matches completely.

    Arrow is asked about many texts. Its classes such as `\\d` and `.` differ, so a pattern names its
    characters. A no of Arrow is left to Python.
    """
    if isinstance(texts, Texts) and len(texts) > PIECE:
        if not all(map(pattern.fullmatch, islice(texts, PIECE))):
            return False
        if _arrow_finds(rf"\A(?:{pattern.pattern})\z", texts, "all"):
            return True
    return all(all(map(pattern.fullmatch, piece)) for piece in pieces(texts))


def any_begins(pattern: re.Pattern[str], texts: Iterable[str]) -> bool:
    """Return whether any text begins with a match; a pattern names its characters, as for `all_match`."""
    if isinstance(texts, Texts) and len(texts) > PIECE and texts.arrow is not None:
        return _arrow_finds(rf"\A(?:{pattern.pattern})", texts, "any")
    return any(any(map(pattern.match, piece)) for piece in pieces(texts))


def any_has(mark: str, texts: Iterable[str]) -> bool:
    """Return whether any text contains a mark."""
    if isinstance(texts, Texts) and len(texts) > PIECE and texts.arrow is not None:
        return _arrow_finds(re.escape(mark), texts, "any")
    return any(mark in text for text in texts)


def _arrow_finds(expression: str, texts: Texts, how: str) -> bool:
    """Return whether Arrow finds an expression in "all" texts or in "any"; False if it cannot hold them."""
    if texts.arrow is None:
        return False
    from pyarrow import compute

    found = compute.match_substring_regex(texts.arrow, expression)
    return bool(getattr(compute, how)(found).as_py())


def as_floats(texts: Sequence[str]) -> FloatArray | None:
    """Return the numbers of texts that are numbers with a decimal point; None if Arrow cannot read one."""
    if not isinstance(texts, Texts) or texts.arrow is None:
        return None
    import pyarrow as pa
    from pyarrow import compute

    plain = compute.utf8_ltrim(texts.arrow, characters="+") if any_has("+", texts) else texts.arrow
    try:
        return numbers(compute.cast(plain, pa.float64()))
    except pa.ArrowInvalid:
        return None


def count_in(data: bytes, mark: bytes, start: int = 0) -> int:
    """Return how often one byte occurs."""
    return sum(data.count(mark, at, at + _BYTES) for at in range(start, len(data), _BYTES))


def find_in(data: bytes, mark: bytes, start: int = 0) -> int:
    """Return the first position of a byte; -1 if it does not occur."""
    found = (data.find(mark, at, at + _BYTES) for at in range(start, len(data), _BYTES))
    return next((at for at in found if at >= 0), -1)


def has_any(texts: Iterable[str], wanted: Collection[str]) -> bool:
    """Return whether any text is among those wanted."""
    known = frozenset(wanted)
    if isinstance(texts, Texts):
        return any(text in texts for text in known)
    return bool(known) and any(not known.isdisjoint(piece) for piece in pieces(texts))


def sorted_places(texts: Sequence[str]) -> IntArray | None:
    """Return the positions that sort distinct texts by code point.

    None if the texts are sorted already.
    """
    if isinstance(texts, Texts) and len(texts) > _FEW and texts.arrow is not None:
        return _arrow_places(texts.arrow)
    before = ""
    for piece in pieces(texts):
        if before > piece[0] or not all(map(le, piece, islice(piece, 1, None))):
            break
        before = piece[-1]
    else:
        return None
    arrow = Texts(texts).arrow if len(texts) > _FEW else None
    if arrow is None:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    return _arrow_places(arrow)


def _arrow_places(texts: Any) -> IntArray | None:
    """Return the same for an Arrow array: UTF-8 is in the order of the code points."""
    from pyarrow import compute

    if ascends(texts):
        return None
    places: IntArray = numbers(compute.sort_indices(texts)).view(np.int64)
    return places


def ascends(texts: Any) -> bool:
    """Return whether the different texts of an Arrow array are sorted."""
    from pyarrow import compute

    n = len(texts)
    return n < 2 or bool(compute.all(compute.less(texts.slice(0, n - 1), texts.slice(1))).as_py())


def subset(texts: Sequence[str], places: IntArray) -> Sequence[str]:
    """Return the texts at some positions, in that order, held by Arrow if all are."""
    return texts.at(places) if isinstance(texts, Texts) else list(chosen(texts, places))


def chosen(texts: Sequence[str], places: IntArray) -> Iterator[str]:
    """Yield the texts at some positions, in that order."""
    for start in range(0, len(places), PIECE):
        piece = places[start : start + PIECE]
        yield from texts.at(piece) if isinstance(texts, Texts) else map(texts.__getitem__, piece.tolist())


def numbers(values: Any) -> NDArray[Any]:
    """Return the integers of an Arrow array without missing ones, not copied.

    Its own method for this imports pandas.
    """
    found: NDArray[Any] = np.from_dlpack(values)
    return found


def listed(texts: Any) -> Sequence[str]:
    """Return the texts of an Arrow array, which keeps them if they are many."""
    return Texts(arrow=texts) if len(texts) > PIECE else texts.to_pylist()


_FEW_JOINED = (
    4096  # distinct texts of a column, over all blocks, that Python joins faster than Arrow is imported
)
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
        if sum(map(len, self._texts)) <= _FEW_JOINED:
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
