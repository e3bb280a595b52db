"""The server behind `cutaway open`: pages made in memory, answered to this machine only.

It listens on the loopback address, answers only requests whose Host is that address (a name of the outside that was
made to point here gets nothing: DNS rebinding), knows GET and HEAD, and looks paths up in a fixed table, so there is
no file system to escape into.
"""

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import Any
from urllib.parse import unquote, urlsplit

from cutaway import bundle, export
from cutaway.errors import ServeError

HOST = "127.0.0.1"

# Said here and not asked of the system: on some, a registry entry makes scripts plain text, and pages fall silent.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}

HEADERS = {
    "Content-Security-Policy": f"{export.SELF}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class PageServer(ThreadingHTTPServer):
    """Serves a fixed table of files on the loopback address; port 0 takes a free one.

    Raises ServeError when the port is in use or may not be used.
    """

    daemon_threads = True
    # On Windows this option would let two servers share a port; elsewhere it only skips the wait after a restart.
    allow_reuse_address = os.name == "posix"

    def __init__(self, files: Mapping[str, bytes], port: int = 0) -> None:
        self.files = dict(files)
        if not 0 <= port <= 65535:
            raise ServeError(f"port {port} does not exist: choose one from 1024 to 65535, or 0 for a free one")
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ServeError(f"port {port} cannot be used ({why}): choose another, or 0 for a free one") from error

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """The Host values that mean this server."""
        names = ("127.0.0.1", "localhost", "[::1]")
        return {f"{name}:{self.server_port}" for name in names} | (set(names) if self.server_port == 80 else set())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who closes the page in the middle of an answer is no error; anything else is told as usual."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One request: its Host, its method, its path, in this order."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version = "cutaway"
    sys_version = ""
    default_request_version = "HTTP/1.1"  # an older one would leave the headers off a refusal
    timeout = 30

    def do_GET(self) -> None:
        hosts = [host.lower() for host in self.headers.get_all("Host", [])]
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "this server answers to 127.0.0.1 and localhost only")
            return
        path = unquote(urlsplit(self.path).path)
        name = path.removeprefix("/") + ("index.html" if path.endswith("/") else "")
        if not self.path.startswith("/"):
            self.send_error(HTTPStatus.BAD_REQUEST, "this server is no proxy")
        elif name in self.server.files:
            self.answer(HTTPStatus.OK, self.server.files[name], TYPES[PurePosixPath(name).suffix])
        elif f"{name}/index.html" in self.server.files:
            self.answer(HTTPStatus.MOVED_PERMANENTLY, b"", TYPES[".html"], {"Location": f"/{name}/"})
        else:
            self.send_error(HTTPStatus.NOT_FOUND, "no such page")

    do_HEAD = do_GET

    def refuse(self) -> None:
        # What the request carries is not read, so the connection cannot be used for another one.
        self.close_connection = True
        self.answer(HTTPStatus.METHOD_NOT_ALLOWED, b"only GET and HEAD\n", "text/plain", {"Allow": "GET, HEAD"})

    do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = do_CONNECT = refuse

    def answer(self, status: int, body: bytes, kind: str, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        fixed = {"Content-Type": kind, "Content-Length": str(len(body))}
        if self.close_connection:
            fixed["Connection"] = "close"
        for name, value in {**fixed, **HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Every refusal in plain text: nothing of the request comes back as HTML."""
        self.close_connection = True
        self.answer(code, f"{message or HTTPStatus(code).phrase}\n".encode(), "text/plain; charset=utf-8")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Quiet: the terminal shows the address and nothing else."""


def open_pages(
    paths: Sequence[Path] = (), port: int = 0, browser: bool = True, say: Callable[[str], None] = print
) -> None:
    """Serves the pages of some bundles until Ctrl-C or SIGTERM: one as itself, several below a catalogue, none as the
    catalogue of the shipped lessons. Says the address, and opens a browser there unless told otherwise.

    Raises BundleError for a path that is no bundle, ServeError for a port that cannot be used.
    """
    with stop_on_signals(), suppress(KeyboardInterrupt):
        models = [bundle.read(Path(path)) for path in (paths or export.shipped())]
        files = export.folder_files(models[0]) if len(paths) == 1 else export.site_files(models)
        with PageServer(files, port) as server:
            say(f"open at {server.address} (Ctrl-C stops)")
            if browser:
                # A browser for terminals returns only when it is left, and would wait for an answer until then.
                threading.Thread(target=webbrowser.open, args=[server.address], daemon=True).start()
            server.serve_forever()


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """While it lasts, SIGTERM ends the main thread's work the way Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
