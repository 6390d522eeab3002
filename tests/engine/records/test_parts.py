"""Releases in parts: their files, manifest and verification, and what a failure leaves."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli import main
from engine.errors import CancelledError, ExportError, VerificationError
from engine.files import atomic_folder
from engine.pipeline import anonymize, export_release, judge_file
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records.disk import parts
from engine.records.opening import open_table
from engine.records.options import CSV, DISK, PARQUET, ExportOptions, Placing, ReadOptions
from engine.scratch import sweep
from tests.conftest import BEST_OF_CLINIC, EXAMPLES
from tests.stopping import Stopping

CLINIC = EXAMPLES / "clinic" / "recipe.toml"
NODE = ["--node", ",".join(map(str, BEST_OF_CLINIC))]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "RECORDS_PER_PART", 700)


@pytest.fixture
def project() -> Project:
    return read_recipe(CLINIC, placing=Placing(source=DISK))


ODD = (
    ExportOptions(),
    ExportOptions(header=False, encoding="utf-8-sig"),
    ExportOptions(encoding="utf-16", quoting="all", line_end="crlf", delimiter=";"),
)


@pytest.mark.parametrize("options", ODD, ids=["usual", "mark", "utf-16"])
def test_parts_together_are_the_release_in_one_file(
    project: Project, options: ExportOptions, tmp_path: Path
) -> None:
    release, folder, whole = (
        anonymize(project, BEST_OF_CLINIC).release,
        tmp_path / "parts",
        tmp_path / "whole.csv",
    )
    assert export_release(project, release, folder, options=options, in_parts=True).ok
    assert export_release(project, release, whole, options=options).ok
    names = [f"part-{number:05}.csv" for number in (1, 2, 3)]
    assert sorted(path.name for path in folder.iterdir()) == ["_manifest.json", *names]
    manifest = json.loads((folder / "_manifest.json").read_text(encoding="utf-8"))
    assert manifest == {
        "records": 2_000,
        "parts": [
            {"name": name, "records": n, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
            for name, n in zip(names, (700, 700, 600), strict=True)
        ],
    }
    texts = [(folder / name).read_text(encoding=options.text_encoding) for name in names]
    expected = whole.read_text(encoding=options.text_encoding)
    if options.header is not False:
        head = texts[0].split("\n", 1)[0] + "\n"
        assert all(text.startswith(head) for text in texts)
        texts[1:] = [text[len(head) :] for text in texts[1:]]
    assert "".join(texts) == expected


def test_a_folder_of_parts_is_a_table_again(project: Project, tmp_path: Path) -> None:
    release = anonymize(project, BEST_OF_CLINIC).release
    for kind in (CSV, PARQUET):
        folder = tmp_path / f"parts.{kind}"
        options = ExportOptions(kind=kind)
        assert export_release(project, release, folder, options=options, in_parts=True).ok
        table = open_table(folder, ReadOptions()).table
        assert table.n_records == 2_000
        assert table.names == project.table.names


def test_the_command_writes_parts_only_into_an_empty_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, summary, report = tmp_path / "out", tmp_path / "s.json", tmp_path / "r.json"
    words = ["anonymize", str(CLINIC), *NODE, "--quiet", "--out"]
    assert main([*words, f"{out}/", "--summary", str(summary), "--report", str(report)]) == 0
    assert len(list(out.glob("part-*.csv"))) == 3
    assert json.loads(summary.read_text(encoding="utf-8"))["verified"] is True
    digest = hashlib.sha256((out / "_manifest.json").read_bytes()).hexdigest()
    assert digest in report.read_text(encoding="utf-8")
    assert main(["report", str(CLINIC), *NODE, "--release", str(out), "--out", str(report), "--quiet"]) == 0
    capsys.readouterr()
    assert main([*words, str(out)]) == 2
    told = capsys.readouterr().err
    assert "already exists and is not empty" in told
    assert "needs an empty folder, or one that does not exist" in told
    empty = tmp_path / "people.parquet"
    empty.mkdir()
    assert main([*words, str(empty)]) == 0
    assert len(list(empty.glob("part-*.parquet"))) == 3
    assert main([*words, f"{tmp_path / 'people.xlsx'}/"]) == 2
    assert "cannot be in this format: Excel workbook" in capsys.readouterr().err
    assert main([*words, f"{summary}/"]) == 2
    assert "is a file" in capsys.readouterr().err


@pytest.mark.parametrize("after", [0, 2, 4, 7])
def test_a_cancelled_release_leaves_no_part(project: Project, after: int, tmp_path: Path) -> None:
    release = anonymize(project, BEST_OF_CLINIC).release
    release.count_unchanged()
    with pytest.raises(CancelledError):
        export_release(project, release, tmp_path / "parts", Stopping(after + 1), in_parts=True)
    assert not list(tmp_path.iterdir())


def test_a_changed_part_is_noticed(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release, folder = anonymize(project, BEST_OF_CLINIC).release, tmp_path / "parts"
    export_release(project, release, folder, in_parts=True)
    assert judge_file(project, release, folder).ok
    part = folder / "part-00002.csv"
    text = part.read_text(encoding="utf-8")
    part.write_text(text.replace("female", "male", 1), encoding="utf-8")
    assert "another SHA-256 than the manifest says" in judge_file(project, release, folder).problems[0]
    part.write_text(text, encoding="utf-8")
    (folder / "part-00004.csv").write_text(text, encoding="utf-8")
    assert "other files than its manifest lists" in judge_file(project, release, folder).problems[0]
    usual = parts.write_parts

    def wrong(folder: Path, *others: object) -> None:
        usual(folder, *others)  # type: ignore[arg-type]
        path, manifest = folder / "part-00002.csv", folder / "_manifest.json"
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        path.write_text(text.replace("male", "female", 1), encoding="utf-8")
        after = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest.write_text(manifest.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")

    monkeypatch.setattr("engine.pipeline.export.write_parts", wrong)
    with pytest.raises(VerificationError):
        export_release(project, release, tmp_path / "other", in_parts=True)
    assert not (tmp_path / "other").exists()


_DYING = """
import os, signal, sys
from pathlib import Path
from engine.files import atomic_folder
with atomic_folder(sys.argv[1]) as folder:
    (folder / "part-00001.csv").write_text("half of a rel")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_killed_writer_leaves_no_release(tmp_path: Path) -> None:
    target = tmp_path / "release"
    subprocess.run([sys.executable, "-c", _DYING, str(target)], check=False, timeout=120)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".release.")
    assert left.stat().st_mode & 0o077 == 0
    assert sweep() == 1
    assert not left.exists()


def test_a_folder_that_was_filled_meanwhile_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "release"

    def fill(folder: Path) -> None:
        target.mkdir()
        (target / "b").write_text("theirs", encoding="utf-8")

    with pytest.raises(ExportError, match="is not empty"), atomic_folder(target, fill) as folder:
        (folder / "a").write_text("ours", encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert os.listdir(target) == ["b"]
