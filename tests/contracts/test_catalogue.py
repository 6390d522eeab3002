"""Every text a user reads is marked, and translations fit their texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.catalogue import ROOT, compiled, extracted, po_files, read
from tests.marked_texts import unmarked
from tests.read_texts import ALLOWED, reading_places

# No sentence, though it looks like one.
NO_SENTENCES = ("anonymizer_gui/perspectives/explore/metric_text.py",)


@pytest.mark.parametrize("package", ["engine", "anonymizer_gui"])
def test_no_sentence_is_outside_of_the_catalogue(package: str) -> None:
    assert [place for place in unmarked(ROOT, package) if not place.startswith(NO_SENTENCES)] == []


def test_a_sentence_outside_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    code = 'label.setText(f"There are {n} records in it.")\n'
    (tmp_path / "shown" / "a.py").write_text(code, encoding="utf-8")
    assert list(unmarked(tmp_path, "shown")) == ["shown/a.py:1: There are {} records in it."]


@pytest.mark.parametrize("package", ["engine", "anonymizer_gui"])
def test_no_logic_reads_a_text_that_people_read(package: str) -> None:
    assert list(reading_places(ROOT, package)) == []


@pytest.mark.parametrize(
    "code",
    [
        "shown = [row for row in rows if row.title in _SHOWN]",
        "if self._metric == _('loss'): pass",
        "sizes = {_('Input'): 3}",
        "def f(self):\n    start = self.tr('bands of ')\n    return text.startswith(start)",
        "first = _('{a} to {b}').format(a=1, b=2).partition(' to ')",
        "chosen = values[self.box.currentText()]",
        "if box.currentText() == 'none': pass",
        "if any(text == _(other) for text in texts): pass",
    ],
)
def test_logic_that_reads_a_text_would_be_noticed(code: str, tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "a.py").write_text(code, encoding="utf-8")
    assert len(list(reading_places(tmp_path, "shown"))) == 1


def test_every_exception_of_reading_texts_is_a_file_that_needs_it(tmp_path: Path) -> None:
    for name in ALLOWED:
        copy = tmp_path / "all" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    noticed = {place.split(":")[0].removeprefix("all/") for place in reading_places(tmp_path, "all")}
    assert noticed == set(ALLOWED)


def test_there_is_a_german_catalogue() -> None:
    assert [po.parent.parent.name for po in po_files()] == ["de"]


@pytest.mark.parametrize("po", po_files(), ids=lambda po: po.parent.parent.name)
def test_a_catalogue_has_the_texts_of_the_code_and_is_compiled(po: Path) -> None:
    """`python -m tests.catalogue` brings it up to date."""
    catalog = read(po)
    assert {(m.id, m.context) for m in catalog if m.id} == {(m.id, m.context) for m in extracted() if m.id}
    assert po.with_suffix(".mo").read_bytes() == compiled(catalog)
    assert [message.id for message in catalog if message.id and message.fuzzy] == []


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{[^{}]*\}", text))


@pytest.mark.parametrize("po", po_files(), ids=lambda po: po.parent.parent.name)
def test_a_translation_has_no_placeholder_that_its_text_lacks(po: Path) -> None:
    wrong = []
    for message in read(po):
        ids = (message.id,) if isinstance(message.id, str) else message.id
        known = set[str]().union(*map(placeholders, ids))
        texts = (message.string,) if isinstance(message.string, str) else message.string
        wrong += [text for text in texts if message.id and not placeholders(text) <= known]
    assert wrong == []
