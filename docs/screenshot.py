"""Takes README's picture: the flagship page as a reader first sees it, from the shipped recording.

Run it with the checkout's own environment after a change that shows: .venv/bin/python docs/screenshot.py
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from cutaway import export

PICTURE = Path(__file__).with_name("picture.png")
SIZE = {"width": 1200, "height": 1950}
SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"]


def main() -> int:
    program = shutil.which("chromium")
    if program is None:
        print("docs/screenshot.py: no chromium on PATH: install your system's package of that name", file=sys.stderr)
        return 2
    (flagship,) = (path for path in export.shipped() if path.parent.name == "bert-pretraining")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        export.export_html(flagship, page_file)
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(page_file.as_uri())
        page.wait_for_selector("cutaway-graph svg")
        page.screenshot(path=PICTURE)
        browser.close()
    print(f"wrote {PICTURE.name}, {PICTURE.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
