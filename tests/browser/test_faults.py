"""Pages that are damaged, lack their script or get it twice: they stay whole, say why, and offer nothing in vain."""

import base64
import functools
import gzip
import http.server
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from reading import OpenPage, Places


def changed(places: Places, folder: Path, name: str, change: Callable[[bytes], bytes]) -> str:
    """The address of the flagship's page with another content in a gzipped data block."""

    def put(found: re.Match[str]) -> str:
        content = change(gzip.decompress(base64.b64decode(found[2])))
        return found[1] + base64.b64encode(gzip.compress(content)).decode()

    text = places.documents["file"].read_text(encoding="utf-8")
    made = folder / "changed.html"
    made.write_text(re.sub(rf'(id="{name}">)([^<]*)', put, text), encoding="utf-8")
    return made.as_uri()


DAMAGES: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "values cut short": ("cutaway-values", lambda raw: raw[:-100], "The recorded values in this page are damaged: "),
    "a header of nonsense": (
        "cutaway-values",
        lambda raw: b"\xff" * 8 + raw[8:],
        "The recorded values in this page are",
    ),
    "no graph": ("cutaway-graph", lambda raw: b"{}", "The recorded values in this page are damaged: "),
    "a value that is not there": (
        "cutaway-graph",
        lambda raw: raw.replace(b'"args":[{"value":', b'"args":[{"value":9999', 1),
        "The interactive parts did not open: ",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_page_says_so_in_a_line_and_is_whole_and_static_again(
    browser: Browser, places: Places, tmp_path: Path, damage: str
) -> None:
    name, change, words = DAMAGES[damage]
    page = browser.new_page()
    page.goto(changed(places, tmp_path, name, change))
    line = page.locator("#architecture figcaption .opening")
    expect(line).to_contain_text("; the static page below is whole.")
    assert line.inner_text().startswith(words)
    page.keyboard.press("ArrowRight")
    assert [button for button in page.locator("button, select, input").all() if button.is_visible()] == []
    static = browser.new_page(java_script_enabled=False)
    static.goto(places["file"])
    assert page.locator(".panels").inner_text() == static.locator(".panels").inner_text()
    assert page.locator("#architecture svg.graph").is_visible()
    assert all(step.is_visible() for step in page.locator(".steps p:not(.of)").all())
    static.close()
    page.close()


def test_a_block_cut_short_is_named(browser: Browser, places: Places, tmp_path: Path) -> None:
    text = places.documents["file"].read_text(encoding="utf-8")
    made = tmp_path / "cut.html"
    made.write_text(re.sub(r'(id="cutaway-values">.{4000})[^<]*', r"\1", text), encoding="utf-8")
    page = browser.new_page()
    page.goto(made.as_uri())
    words = "are damaged: the data block cutaway-values cannot be unpacked; the static page below is whole."
    expect(page.locator(".opening")).to_contain_text(words)
    page.close()


def test_where_the_script_is_missing_nothing_is_announced_or_offered(
    browser: Browser, places: Places, tmp_path: Path
) -> None:
    made = tmp_path / "index.html"
    made.write_bytes(places.documents["folder"].read_bytes())
    (tmp_path / "cutaway.css").write_bytes(places.documents["folder"].with_name("cutaway.css").read_bytes())
    page = browser.new_page()
    page.goto(made.as_uri())
    assert "Opening" not in page.inner_text("body")
    assert [button for button in page.locator("button").all() if button.is_visible()] == []
    page.close()


def test_the_script_loaded_a_second_time_does_nothing(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["file"])
    page.wait_for_selector("svg.live")
    script = re.findall(r"<script>(.*?)</script>", places.documents["file"].read_text(encoding="utf-8"), re.DOTALL)[-1]
    page.evaluate(script)
    page.wait_for_timeout(200)
    assert page.locator("cutaway-graph").count() == page.locator("cutaway-outline").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.locator('[aria-current="step"]').get_attribute("data-step") == "1"


def test_no_icon_is_asked_for(browser: Browser, places: Places) -> None:
    asked: list[str] = []

    class Noting(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            asked.append(self.path)

    serve = functools.partial(Noting, directory=str(places.documents["folder"].parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, args=[0.05]).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_selector("svg.live")
        page.wait_for_timeout(300)
        page.close()
        server.shutdown()
    assert sorted(asked) == ["/", "/cutaway.css", "/cutaway.js"]
