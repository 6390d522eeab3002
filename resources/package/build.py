"""Make the standalone folder of this system by PyInstaller, with checksums of its files.

python resources/package/build.py OUT
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUMS = "SHA256SUMS"
PROGRAMS = ("anonymizer", "anonymizer-window")
WITH_SYMBOLS = (
    "libllvmlite.so",
    "libarrow*.so.*",
    "libparquet.so.*",
    "_readstat_*.so",
    "libpython3.*.so.*",
)  # some 100 MB that nobody calls by name


def main(words: list[str]) -> int:
    """Build into the folder that `words` name; return the exit code of PyInstaller."""
    if len(words) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    out = Path(words[0]).resolve()
    with tempfile.TemporaryDirectory(prefix="anonymizer-build-") as work:
        line = [
            sys.executable,
            "-m",
            "PyInstaller",
            "--noconfirm",
            "--distpath",
            str(out),
            "--workpath",
            work,
        ]
        code = subprocess.call([*line, str(HERE / "anonymizer.spec")])
    if code == 0:
        if sys.platform == "linux":
            make_smaller(out / "anonymizer")
        write_sums(out / "anonymizer")
    return code


def make_smaller(folder: Path) -> None:
    """Strip symbols of large libraries; make one program of two that differ in name only, save on Windows."""
    for name in WITH_SYMBOLS:
        for path in folder.rglob(name):
            if not path.is_symlink():
                subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)
    first, second = (folder / name for name in PROGRAMS)
    if first.read_bytes() == second.read_bytes():
        second.unlink()
        second.symlink_to(first.name)


def write_sums(folder: Path) -> None:
    """Write the SHA-256 of every file of a folder into it, as `sha256sum -c` reads them."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink() and p.name != SUMS)
    lines = []
    for path in paths:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
