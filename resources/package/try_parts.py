"""Install each part of the program alone into an empty environment, and use it.

python resources/package/try_parts.py [--wheels FOLDER] [--python PYTHON] [PART ...]

Without words it tries every part, of wheels that it builds; the last column of its table says what was used.
Packages are installed by uv, if it is on the path or beside this Python, else by pip, from the package index.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DESK, HEADLESS = "lattice-anonymizer", "lattice-anonymizer-headless"
LOWEST = "lowest-direct"  # the name of uv for the lower bounds of what a project names itself
MB = 1_000_000

FRAMES = """
import duckdb, pandas, pyarrow
from engine import KAnonymity, anonymize, check
people = {"age": [34, 35, 34, 61, 62, 61], "city": list("xyxyxy"), "ill": list("abcabc")}
arrow, views = pyarrow.table(people), pyarrow.string_view()
frames = [pandas.DataFrame(people), arrow, arrow.set_column(1, "city", arrow["city"].cast(views)),
          arrow.to_reader(), duckdb.sql("select * from arrow")]
try:
    import polars
    text = polars.DataFrame(people)
    frames += [text, text.with_columns(polars.col("city").cast(polars.Categorical))]
except ImportError:
    pass
for frame in frames:
    released = anonymize(frame, ["age", "city"], "ill", models=[KAnonymity(2)])
    assert released.verdict.ok and len(arrow) == 6, type(frame)
    assert not isinstance(frame, pyarrow.RecordBatchReader) or released.frame.num_rows == 6
for frame in frames[:3] + frames[4:]:
    assert "1" in repr(check(frame, ["age"])), type(frame)
"""


class PartError(Exception):
    """A part does not do what it is for; the text is what was run and what it said."""


@dataclass
class Installed:
    """An environment with a part, in which commands see neither other packages nor settings of the user."""

    folder: Path
    kernels: Path  # compiled ones, which parts share
    used: list[str] = field(default_factory=list)

    @property
    def scripts(self) -> Path:
        return self.folder / "environment" / ("Scripts" if os.name == "nt" else "bin")

    @property
    def examples(self) -> Path:
        place = "from engine.shipped import resources_path; print(resources_path())"
        return Path(self.run("python", "-c", place).strip()) / "examples"

    def run(self, program: str, *words: object, code: int = 0) -> str:
        """Run a program of the environment; return what it wrote, and raise `PartError` for another code."""
        kept = {name: value for name, value in os.environ.items() if name in ("SYSTEMROOT", "TEMP", "LANG")}
        quiet = {"HOME": str(self.folder), "PATH": os.defpath, "QT_QPA_PLATFORM": "offscreen"}
        line = [str(self.scripts / program), *map(str, words)]
        done = subprocess.run(
            line,
            env=kept | quiet | {"ANONYMIZER_CACHE_DIR": str(self.kernels)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != code:
            said = f"{' '.join(line)}\nended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}"
            raise PartError(said)
        return done.stdout + done.stderr

    def refuses(self, words: Sequence[object], *sentences: str) -> None:
        """Run a command that misses something; it must say these sentences."""
        said = self.run("anonymizer", *words, code=2)
        for sentence in sentences:
            if sentence not in said:
                raise PartError(f"{sentence!r} is not in {said!r}")
        self.used.append("words for what is missing")


Use = Callable[[Installed], None]


def commands(part: Installed) -> None:
    """Assess, anonymize, verify, in every kind of file."""
    recipe = part.examples / "hospital" / "recipe.toml"
    part.run("anonymizer", "--version")
    for ending in ("csv", "parquet", "xlsx", "sav", "dta"):
        name = f"released.{ending}"
        part.run("anonymizer", "anonymize", recipe, "--out", name, "--quiet")
        part.run("anonymizer", "verify", name, "--recipe", recipe, "--quiet")
        part.run("anonymizer", "check", name, "--qi", "age", "--quiet")
    part.used.append("commands, 5 formats")


def python(part: Installed) -> None:
    """Frames of the libraries that are there."""
    part.run("python", "-c", FRAMES)
    part.used.append("frames")


def window(part: Installed) -> None:
    """Draw the window with the Adult example."""
    part.run("anonymizer", "--demo", "--screenshot", "window.png")
    if (part.folder / "window.png").stat().st_size < 50_000:
        raise PartError("the picture of the window is nearly empty")
    part.used.append("window")


def report(part: Installed) -> None:
    """Write a report as PDF."""
    part.run("anonymizer", "report", part.examples / "hospital" / "recipe.toml", "--out", "report.pdf")
    if (part.folder / "report.pdf").read_bytes()[:5] != b"%PDF-":
        raise PartError("the report is no PDF")
    part.used.append("report")


def classifier(part: Installed) -> None:
    """Measure what a classifier learns, and use the class for scikit-learn."""
    part.run("anonymizer", "analyze", part.examples / "hospital" / "recipe.toml", "classification")
    estimator = (
        "import engine, pandas; engine.KAnonymizer(2).fit_transform(pandas.DataFrame({'a': [1, 1, 2, 2]}))"
    )
    part.run("python", "-c", estimator)
    part.used.append("classifier")


def kernels(part: Installed) -> None:
    """Compile every kernel ahead, as an image of a container does."""
    part.run("python", "-m", "engine.cli.set_up")
    part.used.append("kernels")


def without_window(part: Installed) -> None:
    """Qt is not there; a window is refused with the words that install it."""
    part.run("python", "-c", "import PySide6", code=1)
    way = f"pip uninstall {HEADLESS}\npip install {DESK}"
    for words in ([], ["--demo"]):
        part.refuses(words, way)


def without_extras(part: Installed) -> None:
    """What an extra has is refused with the words that install it, before anything is computed."""
    recipe = part.examples / "hospital" / "recipe.toml"
    part.refuses(["report", recipe, "--out", "report.pdf"], f'pip install "{HEADLESS}[report]"')
    part.refuses(["analyze", recipe, "classification"], f'pip install "{HEADLESS}[stats]"')
    part.run("python", "-c", "import numba", code=1)


def broken_window(part: Installed) -> None:
    """Without its Qt the program says what to type, and its commands work."""
    part.refuses(["--demo"], f"Install it with: pip install {DESK}")


def both(part: Installed) -> None:
    """Two distributions in one environment say so."""
    if f"pip uninstall {DESK} {HEADLESS}\npip install {DESK}" not in part.run("anonymizer", "--version"):
        raise PartError("--version does not say that both are installed")
    part.used.append("words to keep one")


def site(part: Installed) -> None:
    """Build the documentation site of this clone."""
    configuration = ROOT / "resources" / "site" / "mkdocs.yml"
    line = ["-m", "mkdocs", "build", "--quiet", "--strict", "-f", configuration, "-d", part.folder / "site"]
    part.run("python", *line)
    part.used.append("site")


@dataclass(frozen=True)
class Part:
    """What is installed, where "desk" and "headless" are wheels, and what it is used for."""

    install: tuple[str, ...]
    uses: tuple[Use, ...]
    resolution: str = "highest"
    removed: str = ""
    is_editable: bool = False


PARTS = {
    "desk": Part(("desk",), (kernels, commands, python, report, window)),
    "headless": Part(("headless",), (commands, python, without_window, without_extras)),
    "headless-fast-report": Part(("headless[fast,report]",), (kernels, commands, report, without_window)),
    "headless-stats": Part(("headless[stats]",), (classifier,)),
    "lowest": Part(
        ("desk[stats]", "polars>=1.0"), (kernels, commands, python, report, classifier, window), LOWEST
    ),
    "lowest-headless": Part(("headless[fast,report,stats]",), (commands, report, classifier), LOWEST),
    "no-qt": Part(("desk",), (broken_window, commands, report), removed="PySide6-Essentials"),
    "both": Part(("desk", "headless"), (both, commands)),
    "polars": Part(("headless", "polars"), (python,)),
    "pandas-2.2": Part(("headless", "pandas==2.2.*", "polars"), (commands, python)),
    "docs": Part(("desk[docs]",), (site,), is_editable=True),
}


def build_wheels(folder: Path) -> None:
    """Build the wheels of both distributions."""
    for place in (ROOT, ROOT / "resources" / "package" / "headless"):
        line = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(place)]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)


def install(part: Part, wheels: Path, python_: str, folder: Path) -> None:
    """Make an empty environment and install a part into it."""
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment, uv = folder / "environment", shutil.which("uv", path=beside)
    if uv is None and part.resolution != "highest":
        raise PartError("the lowest versions are chosen by uv: pip install uv")
    subprocess.run([python_, "-m", "venv", *(["--without-pip"] if uv else []), str(environment)], check=True)
    inside = str(environment / ("Scripts" if os.name == "nt" else "bin") / "python")
    by_pip = [uv, "pip"] if uv else [inside, "-m", "pip"]
    where = ["--python", inside] if uv else []
    wheel = {name: next(wheels.glob(f"{name.replace('-', '_')}-[0-9]*.whl")) for name in (DESK, HEADLESS)}
    requirements = []
    for words in part.install:
        name, bracket, extras = words.partition("[")
        known = {"desk": DESK, "headless": HEADLESS}.get(name)
        place = ROOT if part.is_editable else wheel.get(known or "")
        requirements.append(f"{place}{bracket}{extras}" if known else words)
    resolution = [] if part.resolution == "highest" else ["--resolution", part.resolution]
    editable = ["--editable"] if part.is_editable else []
    line = [*by_pip, "install", "--quiet", *where, *resolution, *editable, *requirements]
    subprocess.run(line, check=True)
    if part.removed:
        subprocess.run(
            [*by_pip, "uninstall", "--quiet", *where, *([] if uv else ["-y"]), part.removed], check=True
        )


def size_of(folder: Path) -> int:
    """Return the bytes of an environment."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def tried(name: str, wheels: Path, python_: str, work: Path) -> str:
    """Install a part, use it, and return its line of the table."""
    part, folder = PARTS[name], work / name
    folder.mkdir(parents=True)
    begin = time.monotonic()
    install(part, wheels, python_, folder)
    seconds, size = time.monotonic() - begin, size_of(folder / "environment") / MB
    installed = Installed(folder, work / "kernels")
    for use in part.uses:
        use(installed)
    used = ", ".join(dict.fromkeys(installed.used))
    return f"{name:22}{size:8.0f} MB{seconds:8.1f} s{time.monotonic() - begin - seconds:8.1f} s  {used}"


def main(words: Sequence[str]) -> int:
    """Try parts; return 1 if one fails, after all were tried."""
    parser = argparse.ArgumentParser(prog="try_parts.py", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "parts", nargs="*", choices=[[], *PARTS], default=[], metavar="PART", help=", ".join(PARTS)
    )
    parser.add_argument("--wheels", type=Path, help="a folder with the wheels of both distributions")
    parser.add_argument("--python", default=sys.executable, help="the Python of the environments")
    given = parser.parse_args(list(words))
    failed = 0
    print(f"{'part':22}{'size':>11}{'install':>10}{'use':>10}  used", flush=True)
    with tempfile.TemporaryDirectory(prefix="anonymizer-parts-", ignore_cleanup_errors=True) as name:
        wheels = given.wheels or Path(name) / "wheels"
        if given.wheels is None:
            build_wheels(wheels)
        for part in given.parts or PARTS:
            try:
                print(tried(part, wheels.resolve(), given.python, Path(name)), flush=True)
            except (PartError, subprocess.CalledProcessError) as error:
                failed = 1
                print(f"{part:22}failed: {error}", flush=True)
            shutil.rmtree(Path(name) / part, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
