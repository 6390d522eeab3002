"""What a file of a statistical program says of a column besides its values, for writing it so again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True)
class ValueCoding:
    """Labels of a column and of its values.

    Attributes
    ----------
    label : str
        Description of the column; empty for none.
    values : mapping of str to (float or str, str)
        By the text of each labelled value: its code, and its label in the file. The text is the label, with
        the code if several codes share the label; or the code alone, if codes are read instead of labels.
    measure : str
        "nominal", "ordinal" or "scale"; empty if unknown.
    """

    label: str = ""
    values: Mapping[str, tuple[float | str, str]] = field(default_factory=dict)
    measure: str = ""

    def trimmed(self) -> Self:
        """Return the coding of a column whose texts have no surrounding spaces."""
        values: dict[str, tuple[float | str, str]] = {}
        for text, coded in self.values.items():
            values.setdefault(text.strip(), coded)
        return replace(self, values=values)

    def as_json(self) -> str:
        """Return a text that `of_json` reads."""
        values = [[text, *coded] for text, coded in self.values.items()]
        return json.dumps([self.label, self.measure, values], ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Return the coding that a text holds.

        Raises
        ------
        ValueError
            It is not such a text.
        """
        try:
            label, measure, listed = json.loads(text)
            values = {
                str(own): (code if isinstance(code, str) else float(code), str(shown))
                for own, code, shown in listed
            }
        except (TypeError, RecursionError) as error:
            raise ValueError("not a coding of values") from error
        return cls(str(label), values, str(measure))
