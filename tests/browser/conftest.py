"""A real Chromium reads real exports: as one file and as a folder from disk, as a site below a sub-path of a server.

`open_page` gives a page that fails its test on any console error, uncaught exception, violation of the page's own
Content-Security-Policy, or request to an origin other than the one it was opened from.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from reading import OpenPage, Places, Watch, elsewhere, static_server, watch

from cutaway import export

ROOT = Path(__file__).resolve().parents[2]
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program is not None, "no chromium on PATH: install it by your system's package of that name"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    root = tmp_path_factory.mktemp("exports")
    (flagship,) = (path for path in export.shipped() if path.parent.name == "bert-pretraining")
    export.export_html(flagship, root / "page.html")
    export.export_folder(flagship, root / "folder")
    export.export_site(export.shipped(), root / "served" / "below" / "here")
    documents = {
        "file": root / "page.html",
        "folder": root / "folder" / "index.html",
        "site": root / "served" / "below" / "here" / "bert-pretraining" / "index.html",
        "catalogue": root / "served" / "below" / "here" / "index.html",
    }
    with static_server(root / "served") as address:
        addresses = {
            "file": documents["file"].as_uri(),
            "folder": documents["folder"].as_uri(),
            "site": f"{address}below/here/bert-pretraining/",
            "catalogue": f"{address}below/here/",
        }
        yield Places(addresses, documents)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens an address in a context of its own; takes what browser.new_context takes."""
    opened: list[tuple[str, Watch]] = []
    contexts: list[BrowserContext] = []

    def opener(address: str, **options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        opened.append((address, watch(page)))
        page.goto(address)
        return page

    yield opener
    for context in contexts:
        context.close()
    for address, seen in opened:
        assert seen.faults == []
        assert seen.requests
        assert elsewhere(address, seen.requests) == []


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core's own script, from the development packages of web/."""
    place = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
    assert place.is_file(), "axe-core is not installed: run `python3 tasks.py check`, which installs web/"
    return place.read_text(encoding="utf-8")
