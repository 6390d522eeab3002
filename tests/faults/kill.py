"""Kills the victim at random moments and checks the files left; `python -m tests.faults.kill 30`.

With `--hungry` victims have no spare memory at first: whatever they report as stored must be stored, and
everything is stored later.

One process imports everything once; each victim is forked from it and killed without warning.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "resources" / "examples" / "hospital" / "recipe.toml"
N_RECORDS = 13
HUNGER = 4.0  # seconds without spare memory
LONGEST = 4.0  # seconds a victim works at most
SLACK = 2.0  # seconds from an edit to its storage beyond the interval, so that the total stays below ten


@dataclass(frozen=True)
class Killed:
    """Actions of a victim, and the time it was killed."""

    folder: Path
    moment: float
    lines: tuple[tuple[str, int, float], ...]

    @property
    def had_memory(self) -> bool:
        """Return whether its latest actions had enough memory."""
        words = {word: at for word, _, at in self.lines}
        return "hungry" not in words or words.get("fed", self.moment) < self.moment - 2 * SLACK

    def newest(self, word: str, before: float) -> int:
        """Return the highest number of a kind of line written before a time."""
        return max((number for said, number, at in self.lines if said == word and at <= before), default=0)


def kill_in_turn(
    folders: list[Path], seed: int, longest: float = LONGEST, hunger: float = 0.0
) -> list[Killed]:
    """Let a victim work in each folder and kill it at a random time, half of hungry ones after HUNGER."""
    words = [sys.executable, "-m", "tests.faults.kill", "--victims", str(seed), str(longest), str(hunger)]
    words += map(str, folders)
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if ended.returncode:
        raise AssertionError(ended.stderr)
    return [_killed(folder) for folder in folders]


def assert_nothing_is_lost(killed: Killed, environment: dict[str, str]) -> str:
    """Check the files and the offers of the next start; return a summary."""
    os.environ.update(environment)
    from engine.project.storage.file import open_project
    from engine.project.storage.recovery import Recovery
    from engine.scratch import sweep

    sweep()
    left = [path.name for path in killed.folder.iterdir() if path.name.startswith(".")]
    assert not left, f"unfinished files stay behind: {left}"
    assert not list((killed.folder / "scratch").glob("*")), "temporary files stay behind"
    project, release = killed.folder / "people.anon", killed.folder / "released.csv"
    saved = 0
    if project.exists():
        saved = _number(open_project(project).project.name)
    if release.exists():
        text = release.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert text.count("\n") == N_RECORDS + 1, "half a release"
    recovery = Recovery()
    offers = recovery.offers()
    assert len(offers) <= 1
    kept = [_number(recovery.read(offer).project.name) for offer in offers]
    newest = max([saved, *kept])
    for word in ("kept", "saved"):
        said = killed.newest(word, killed.moment)
        assert newest >= said, f"edit {said} was said to be {word}, and {newest} is the newest there is"
    due = killed.newest("edit", killed.moment - SLACK - 0.2) if killed.had_memory else 0
    assert newest >= due, f"edit {due} was made long before, and {newest} is the newest there is"
    done = killed.newest("edit", killed.moment)
    n_failures = sum(word == "failed" for word, _, _ in killed.lines)
    return (
        f"{done:5} edits, saved {saved:5}, kept {max(kept, default=0):5}, due {due:5}, failed {n_failures:3}"
    )


def environment_of(folder: Path) -> dict[str, str]:
    """Return the folders of preferences and recovery data for a working folder."""
    return {
        "ANONYMIZER_CONFIG_DIR": str(folder / "config"),
        "ANONYMIZER_SCRATCH_DIR": str(folder / "scratch"),
    }


def _number(name: str) -> int:
    """Return the number of the edit that named a project; a project with its initial name has none."""
    return int(name) if name.isdecimal() else 0


def _killed(folder: Path) -> Killed:
    lines = []
    for line in (folder / "journal.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) == 3:  # the last line may be incomplete
            lines.append((words[0], int(words[1]), float(words[2])))
    moment = float((folder / "killed.txt").read_text(encoding="utf-8"))
    return Killed(folder, moment, tuple(lines))


def _victims(seed: int, longest: float, hunger: float, folders: list[Path]) -> None:
    from tests.faults import victim

    draw = random.Random(seed)
    for number, folder in enumerate(folders):
        wait = draw.uniform(0.0, longest) + (hunger + 2 * SLACK if hunger and number % 2 else 0)
        child = os.fork()
        if child == 0:
            os.environ.update(environment_of(folder))
            victim.work(folder, RECIPE, seed + number, hunger)
            os._exit(1)  # not reached if killed in time
        journal, begun = folder / "journal.txt", time.monotonic()
        while not (journal.exists() and journal.stat().st_size) and time.monotonic() - begun < 60:
            time.sleep(0.01)
        end = time.monotonic() + wait
        while time.monotonic() < end and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            time.sleep(0.01)  # one without memory may end by itself
        os.kill(child, signal.SIGKILL)
        moment = time.monotonic()
        os.waitpid(child, 0)
        (folder / "killed.txt").write_text(str(moment), encoding="utf-8")


def main(words: list[str]) -> None:
    """Kill the given number of victims and print the state left by each."""
    if words[0] == "--victims":
        _victims(int(words[1]), float(words[2]), float(words[3]), [Path(word) for word in words[4:]])
        return
    hunger = HUNGER if "--hungry" in words else 0.0
    words = [word for word in words if word != "--hungry"]
    n_kills, seed = int(words[0]), int(words[1]) if len(words) > 1 else time.time_ns() % 100_000
    sys.stdout.write(f"seed {seed}\n")
    with tempfile.TemporaryDirectory() as root:
        folders = [Path(root) / str(number) for number in range(n_kills)]
        for folder in folders:
            folder.mkdir()
        for killed in kill_in_turn(folders, seed, hunger=hunger):
            sys.stdout.write(assert_nothing_is_lost(killed, environment_of(killed.folder)) + "\n")
    sys.stdout.write(f"{n_kills} kills with seed {seed}: nothing lost, no file damaged\n")


if __name__ == "__main__":
    main(sys.argv[1:])
