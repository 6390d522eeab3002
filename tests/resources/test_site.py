"""The documentation site builds without a warning, is complete, and needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from anonymizer_gui.help.library import GLOSSARY, HelpLibrary
from tests.conftest import ROOT

LIBRARY = HelpLibrary()
INTERFACE = (
    "check",
    "measure_utility",
    "assess_risk",
    "detect",
    "anonymize",
    "export_release",
    "read_recipe",
)


# A stranger's questions: the words of the links to click from the start page, and words of the answer there.
QUESTIONS = {
    "How do I install it?": ("Install > Two parts", "pip install lattice-anonymizer"),
    "What is k?": ("Glossary > k-anonymity", "at least k"),
    "Which key of a recipe sets t?": (
        "keys of a recipe > t_closeness",
        "t (a number from 0 to 1",
    ),
    "How do I check a release in CI?": ("In a pipeline > Required conditions", "--require"),
    "Which files can it read?": ("File formats", "Parquet"),
    "Does it send my data anywhere?": ("The window > What the program does not do", "No network"),
    "What protects from homogeneity?": ("privacy models > distinct l-diversity", "homogeneity"),
    "How do I anonymize a DataFrame?": ("Python > From DataFrame to verified DataFrame", "anonymize("),
    "What is localSuppression of sdcMicro here?": ("From sdcMicro and R", "the recoding method cells"),
    "How do I cite it?": ("Get started > How to cite", "version"),
}


@dataclass
class Built(HTMLParser):
    """Anchors, links, texts of sections and loaded files of a built page."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    targets: dict[str, str] = field(default_factory=dict)  # of links, by their words
    sections: dict[str, str] = field(default_factory=dict)  # texts, by anchor; "" is the whole page
    words: str = ""
    anchor: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_data(self, data: str) -> None:
        self.words += data
        for place in {"", self.anchor}:
            self.sections[place] = self.sections.get(place, "") + data

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self.links:
            self.targets.setdefault(self.words.strip(), self.links[-1])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        if re.fullmatch("h[1-6]", tag):
            self.anchor = values.get("id", "")
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
            self.words = ""
        self.loaded += [values[name] for name in ("src", "srcset", "data") if name in values]
        if tag == "link" and "href" in values:
            self.loaded.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    built = subprocess.run(
        [*command, "-f", "resources/site/mkdocs.yml"],
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},  # about a successor of the theme
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Built]:
    found = {}
    for path in site.rglob("*.html"):
        found[path.relative_to(site).as_posix()] = page = Built()
        page.feed(path.read_text(encoding="utf-8"))
    return found


def test_every_help_page_is_on_the_site(site: Path, pages: dict[str, Built]) -> None:
    for name in LIBRARY.names:
        assert f"{name}.html" in pages
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert f"{name}.html" in " ".join(pages["index.html"].links)
        assert "show:" not in text, "a link that only the window can follow"
        assert not re.search(r"^- ", text, re.MULTILINE), "a list that was not recognized"


def test_headings_have_the_anchors_of_the_help_panel(pages: dict[str, Built]) -> None:
    for name in LIBRARY.names:
        for section in LIBRARY.page(name).sections:
            anchor = section.link.partition("#")[2]
            assert anchor in pages[f"{name}.html"].anchors, section.link
    assert len(LIBRARY.page(GLOSSARY).sections) > 60


def test_functions_of_the_python_page_are_documented(site: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in site.glob("api-*.html"))
    for name in INTERFACE:
        assert re.search(rf"engine[\w.]*\.{name}\b", text), name
    assert "quasi_identifying" in text, "a parameter from a docstring"


def _links(pages: dict[str, Built]) -> Iterator[tuple[str, str, str]]:
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if not parts.scheme and name != "404.html":
                yield name, unquote(parts.path) or name, unquote(parts.fragment)


def test_every_link_has_a_target(site: Path, pages: dict[str, Built]) -> None:
    broken = [
        f"{name}: {target}#{anchor}"
        for name, target, anchor in _links(pages)
        if not (site / target).is_file() or (anchor and anchor not in pages[target].anchors)
    ]
    assert broken == []


def test_the_site_loads_nothing_from_the_network(site: Path, pages: dict[str, Built]) -> None:
    loaded = {link for page in pages.values() for link in page.loaded}
    assert {"site/colours.css", "site/anonymizer.svg"} <= loaded
    assert any(link.startswith("assets/javascripts/bundle") for link in loaded)
    assert "site/iframe-worker.js" in loaded
    assert "t-closeness" in (site / "search/search_index.js").read_text(encoding="utf-8")  # without a server
    assert [link for link in loaded if urlsplit(link).scheme or link.startswith("//")] == []
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", text), style


def test_the_look_has_version_tabs_by_audience_and_by_way_of_use(site: Path, pages: dict[str, Built]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert all(version in page.sections[""] for page in pages.values())
    text = (site / "index.html").read_text(encoding="utf-8")
    tabs = re.search(r'<nav class="md-tabs".*?</nav>', text, re.DOTALL)
    shown = re.sub(r"<[^>]*>", " ", tabs[0] if tabs else "").split("  ")
    names = ["Overview", "Get started", "Data stewards", "Pipelines", "Python", "Reference"]
    assert [word.strip() for word in shown if word.strip()] == names
    assert text.count('class="grid cards"') == len(names) - 1
    ways = (site / "five-minutes.html").read_text(encoding="utf-8")
    assert re.findall(r'<label for="(\w+)">\w+</label>', ways) == ["window", "command", "python"]
    colours = (site / "site/colours.css").read_text(encoding="utf-8")
    assert [colour in colours for colour in ("#2B5BD7", "#191F27")] == [True, True]


def test_signatures_show_types_public_names_and_values_of_defaults(pages: dict[str, Built]) -> None:
    text = re.sub(r"\s+", "", pages["api-frames.html"].sections[""])
    assert "engine.anonymize" in text
    assert "models:PrivacyModel|Iterable[PrivacyModel]=(KAnonymity(5),)" in text
    interface = "".join(page.sections[""] for name, page in pages.items() if name.startswith("api-"))
    assert not re.search(r"\bFIVE\b|\bSILENT\b|\bN_\(", interface)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_within_three_clicks(question: str, pages: dict[str, Built]) -> None:
    path, answer = QUESTIONS[question]
    clicks = path.split(" > ")
    assert len(clicks) <= 3
    at = "index.html"
    for click in clicks:
        page = at.partition("#")[0]
        target = pages[page].targets[click]
        at = target if urlsplit(target).path else f"{page}{target}"
    name, _mark, anchor = unquote(at).partition("#")
    assert answer in " ".join(pages[name].sections[anchor].split())
