"""The documentation site builds without a warning, is complete, and needs no network."""

from __future__ import annotations

import re
import subprocess
import sys
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


@dataclass
class Built(HTMLParser):
    """Anchors, links and loaded files of a built page."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loaded += [values[name] for name in ("src", "srcset", "data") if name in values]
        if tag == "link" and "href" in values:
            self.loaded.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    built = subprocess.run(
        [*command, "-f", "resources/site/mkdocs.yml"], cwd=ROOT, capture_output=True, text=True, check=False
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
    assert "css/theme.css" in loaded
    assert [link for link in loaded if urlsplit(link).scheme or link.startswith("//")] == []
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", text), style
