"""The program as it is installed: wheel, desktop files, stand-alone folder."""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from engine import child
from engine.scoring.acceleration import MODULES
from engine.shipped import NAME, resources_path
from tests.formats import write_open_document, write_spss

ROOT = resources_path().parent
PACKAGE = resources_path() / "package"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
LARGEST_FOLDER = 800_000_000  # bytes
PYTHONS = ("3.11", "3.12", "3.13")
FROM_PYTHON = """
import engine
import pandas as pd
from pathlib import Path
frame = pd.DataFrame({"age": [34, 35, 34, 61, 62, 61], "ill": list("abcabc")})
released = engine.anonymize(
    frame, quasi_identifying=["age"], insensitive=["ill"], models=engine.KAnonymity(3)
)
assert released.verdict.ok
assert len(released.frame) == 6
print(Path(engine.__file__).parent / "resources" / "examples")
"""


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def desktop_entry() -> configparser.SectionProxy:
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment, method-assign]  # names are case-sensitive
    read.read(PACKAGE / "anonymizer.desktop", encoding="utf-8")
    return read["Desktop Entry"]


def test_the_menu_entry_starts_a_script_of_the_wheel_with_its_icon() -> None:
    declared = project()
    entry = desktop_entry()
    assert entry["Exec"].split()[0] in declared["project"]["gui-scripts"]  # type: ignore[index]
    shared = declared["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]  # type: ignore[index]
    icons = [place for place in shared.values() if place.startswith("share/icons/hicolor/")]
    assert len(icons) == 9
    assert {Path(place).stem for place in icons} == {entry["Icon"]}
    assert all((ROOT / source).is_file() for source in shared)


def test_the_types_of_projects_and_recipes_are_declared() -> None:
    tree = ElementTree.parse(PACKAGE / "anonymizer.xml")
    declared = {
        found.get("type"): [glob.get("pattern") for glob in found.iter(f"{MIME}glob")]
        for found in tree.iter(f"{MIME}mime-type")
    }
    assert declared["application/vnd.anonymizer.project"] == ["*.anon"]
    assert set(declared) <= set(desktop_entry()["MimeType"].split(";"))


@pytest.mark.parametrize("size", [16, 24, 32, 48, 64, 128, 256, 512])
def test_the_icon_is_there_in_every_size(size: int) -> None:
    header = (resources_path() / "icons" / "program" / f"anonymizer-{size}.png").read_bytes()[16:24]
    assert header == size.to_bytes(4, "big") * 2


@pytest.fixture(scope="module")
def release_notes() -> ModuleType:
    """The script of the release workflow, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("release_notes", PACKAGE / "release_notes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHANGES = (
    "# Changes\n\n## 1.1.0, not released yet\n\nSoon.\n\n## 1.0.0\n\n- First.\n\n## 0.9.0\n\n- Before.\n"
)


def test_the_notes_of_a_release_are_its_part_of_the_list_of_changes(release_notes: ModuleType) -> None:
    assert release_notes.notes_of("v1.0.0", "1.0.0", CHANGES) == "- First.\n"
    assert release_notes.notes_of("v0.9.0", "0.9.0", CHANGES) == "- Before.\n"


@pytest.mark.parametrize(
    ("tag", "version", "sentence"),
    [
        ("v1.0.0", "1.0.1", "The tag is v1.0.0, and the project has version 1.0.1."),
        ("v2.0.0", "2.0.0", "The list of changes has no heading '## 2.0.0'."),
        ("v1.1.0", "1.1.0", "The heading of 1.1.0 in the list of changes says that it is not released."),
    ],
)
def test_a_tag_without_notes_of_its_version_makes_no_release(
    release_notes: ModuleType, tag: str, version: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        release_notes.notes_of(tag, version, CHANGES)


def run(line: Sequence[object], home: Path) -> str:
    """Run with an empty environment but for a home; return what it wrote."""
    quiet = {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PATH": "/nonexistent"}
    done = subprocess.run(
        [str(word) for word in line], env=quiet, cwd=home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def use_program(program: Path, examples: Path, home: Path) -> None:
    """Compile the kernels, release Adult, read SPSS and OpenDocument files, score Adult in the window."""
    assert run([program, "--version"], home) == f"{NAME} {project()['project']['version']}\n"  # type: ignore[index]
    run([program, child.WORD, "engine.scoring.acceleration", *MODULES], home)
    compiled = {path.stem for path in home.rglob("kernels-*/*.complete")}
    assert compiled == set(MODULES)
    run([program, "anonymize", examples / "adult" / "recipe.toml", "--out", home / "released.csv"], home)
    assert (home / "released.csv").read_text(encoding="utf-8").count("\n") > 20_000
    people = {"age": [30.0, 30.0, 41.0], "sex": ["f", "f", "m"]}
    for table in (write_spss(home / "a.sav", people), write_open_document(home / "a.ods", people)):
        assert '"k": 1' in run([program, "check", table, "--qi", "age", "--format", "json"], home)
    run([program, "--demo", "--perspective", "explore", "--screenshot", home / "adult.png"], home)
    assert (home / "adult.png").stat().st_size > 50_000


@pytest.mark.thorough
def test_the_stand_alone_folder_works_with_an_empty_home(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PACKAGE / "build.py", tmp_path / "built"], check=True)
    folder = tmp_path / "built" / "anonymizer"
    home = tmp_path / "home"
    home.mkdir()
    size = sum(path.stat().st_size for path in folder.rglob("*") if not path.is_symlink())
    assert size < LARGEST_FOLDER, f"{size / 1e6:.0f} MB; a library of tests may be in it"
    use_program(folder / "anonymizer", folder / "_internal" / "engine" / "resources" / "examples", home)
    run([folder / "anonymizer-window", "--demo", "--screenshot", home / "window.png"], home)
    assert (home / "window.png").stat().st_size > 50_000
    checked = subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=False)
    assert checked.returncode == 0


def at_hand() -> dict[str, Path]:
    """Return interpreters of this machine by version: the present one, of pyenv, on the path."""
    own = "{}.{}".format(*sys.version_info)
    found = {own: Path(sys.executable)}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [*sorted(pyenv.glob("*/bin")), *map(Path, os.environ["PATH"].split(os.pathsep))]
    for version, folder in product(PYTHONS, folders):
        path = folder / f"python{version}"
        if path.is_file() and folder.name != "shims":  # those of pyenv start only what is chosen
            found.setdefault(version, path)
    return found


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a source archive and the wheel built of it."""
    folder = tmp_path_factory.mktemp("distributions")
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    return folder


@pytest.mark.thorough
def test_the_wheel_has_two_packages_and_the_source_archive_its_tests(distributions: Path) -> None:
    (wheel,), (source,) = distributions.glob("*.whl"), distributions.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"engine", "anonymizer_gui"}
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "tests/conftest.py", "resources/start.py"} <= names


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [".whl", ".tar.gz"])
@pytest.mark.parametrize("python", at_hand().values(), ids=at_hand())
def test_the_installed_program_works_in_an_empty_environment(
    python: Path, ending: str, distributions: Path, tmp_path: Path
) -> None:
    (distribution,) = distributions.glob(f"*{ending}")
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", environment], check=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", str(distribution)], check=True)
    home = tmp_path / "home"
    home.mkdir()
    examples = Path(run([scripts / "python", "-c", FROM_PYTHON], home).strip())
    use_program(scripts / "anonymizer", examples, home)
    (home / "t.csv").write_text("age\n30\n30\n", encoding="utf-8")
    check = [scripts / "anonymizer", "check", home / "t.csv", "--qi", "age", "--compat", "pycanon"]
    asked = subprocess.run(check, cwd=home, capture_output=True, text=True, check=False)
    assert asked.returncode == 2
    pip, *words = shlex.split(asked.stderr.rpartition("Install it with: ")[2])
    subprocess.run([scripts / "python", "-m", pip, *words], check=True)
    assert "k = 2" in run(check, home)
