"""The program as it is installed: wheel, desktop files, stand-alone folder."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine import child
from engine.scoring.acceleration import MODULES
from engine.shipped import resources_path
from tests.formats import write_spss

ROOT = resources_path().parent
PACKAGE = resources_path() / "package"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
PYTHONS = ("python3.11", "python3.12", "python3.13")


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


def run(line: Sequence[object], home: Path) -> str:
    """Run with an empty environment but for a home; return what it wrote."""
    quiet = {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PATH": "/nonexistent"}
    done = subprocess.run(
        [str(word) for word in line], env=quiet, cwd=home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def use_program(program: Path, examples: Path, home: Path) -> None:
    """Compile the kernels, release an example, read an SPSS file and score Adult in the window."""
    run([program, child.WORD, "engine.scoring.kernel_compilation", *MODULES], home)
    compiled = {path.stem for path in home.rglob("kernels-*/*.complete")}
    assert compiled == set(MODULES)
    run([program, "anonymize", examples / "hospital" / "recipe.toml", "--out", home / "released.csv"], home)
    assert (home / "released.csv").read_text(encoding="utf-8").count("\n") > 10
    survey = write_spss(home / "survey.sav", {"age": [30.0, 30.0, 41.0], "sex": ["f", "f", "m"]})
    assert '"k": 1' in run([program, "check", survey, "--qi", "age", "--qi", "sex", "--format", "json"], home)
    run([program, "--demo", "--perspective", "explore", "--screenshot", home / "adult.png"], home)
    assert (home / "adult.png").stat().st_size > 50_000


@pytest.mark.thorough
def test_the_stand_alone_folder_works_with_an_empty_home(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PACKAGE / "build.py", tmp_path / "built"], check=True)
    folder = tmp_path / "built" / "anonymizer"
    home = tmp_path / "home"
    home.mkdir()
    use_program(folder / "anonymizer", folder / "_internal" / "engine" / "resources" / "examples", home)
    sums = (folder / "SHA256SUMS").read_text(encoding="utf-8")
    assert "  anonymizer-window\n" in sums


def at_hand() -> list[str]:
    """Return the interpreters of this machine that start, the present one among them."""
    found = [sys.executable]
    for name in PYTHONS:
        path = shutil.which(name)
        if path is None or name.endswith(f".{sys.version_info[1]}"):
            continue
        if subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            found.append(path)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("python", at_hand(), ids=lambda path: Path(path).name)
def test_the_wheel_works_in_an_empty_environment(python: str, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT]
    subprocess.run(line, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"engine", "anonymizer_gui"}
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", environment], check=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", f"{wheel}[formats]"], check=True)
    home = tmp_path / "home"
    home.mkdir()
    (installed,) = environment.rglob("site-packages/engine/resources")
    use_program(scripts / "anonymizer", installed / "examples", home)
