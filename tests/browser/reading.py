"""What the browser tests share: where a page stands, and what is noted while it is read."""

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page

OpenPage = Callable[..., Page]
FORMS = ["file", "folder", "site"]


@dataclass
class Places:
    """The flagship's page in each form it is exported in, and the catalogue: by address, and the document by path."""

    addresses: dict[str, str]
    documents: dict[str, Path]

    def __getitem__(self, name: str) -> str:
        return self.addresses[name]


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """A plain static server, as anyone would run one, and its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@dataclass
class Watch:
    """What went wrong on a page, in words."""

    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy violated: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
});
"""


def watch(page: Page) -> Watch:
    """Begins to note console errors and warnings, exceptions and requests of a page."""
    seen = Watch()
    page.add_init_script(REPORT_VIOLATIONS)
    page.on("console", lambda said: said.type in ("error", "warning") and seen.faults.append(f"console: {said.text}"))
    page.on("pageerror", lambda error: seen.faults.append(f"exception: {error}"))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("requestfailed", lambda request: seen.faults.append(f"request failed: {request.url} {request.failure}"))
    return seen


def elsewhere(address: str, requests: list[str]) -> list[str]:
    """The requests that left the origin of `address`; from disk, those that left its folder."""
    here = urlsplit(address)
    near = address.rpartition("/")[0] + "/" if here.scheme == "file" else f"{here.scheme}://{here.netloc}/"
    return [url for url in requests if not url.startswith((near, "data:", "blob:"))]
