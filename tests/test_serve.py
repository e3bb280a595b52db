"""The loopback server: who it answers, what it answers, how it stops."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cutaway.errors import ServeError
from cutaway.serve import PageServer

FILES = {"index.html": b"<p>all</p>", "bert/index.html": b"<p>bert</p>", "cutaway.js": b"1", "cutaway.css": b"p{}"}


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer(FILES) as running:
        thread = threading.Thread(target=running.serve_forever, args=[0.01])
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(
    server: PageServer, path: str, method: str = "GET", host: str | None = None, body: bytes | None = None
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    connection.putrequest(method, path, skip_host=True)
    if host != "":
        connection.putheader("Host", host or f"127.0.0.1:{server.server_port}")
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def ask_raw(server: PageServer, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("/", b"<p>all</p>", "text/html; charset=utf-8"),
        ("/index.html", b"<p>all</p>", "text/html; charset=utf-8"),
        ("/bert/", b"<p>bert</p>", "text/html; charset=utf-8"),
        ("/bert/index.html?x=1", b"<p>bert</p>", "text/html; charset=utf-8"),
        ("/cutaway.js", b"1", "text/javascript; charset=utf-8"),
        ("/cutaway.css", b"p{}", "text/css; charset=utf-8"),
    ],
)
def test_each_file_is_answered_with_its_type(server: PageServer, path: str, content: bytes, kind: str) -> None:
    answer, found = ask(server, path)
    assert (answer.status, found, answer.getheader("Content-Type")) == (200, content, kind)


def test_every_answer_carries_the_security_headers(server: PageServer) -> None:
    for path, method in [("/", "GET"), ("/nothing", "GET"), ("/", "POST"), ("/bert", "GET")]:
        answer, _ = ask(server, path, method)
        policy = answer.getheader("Content-Security-Policy") or ""
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Referrer-Policy") == "no-referrer"
        assert answer.getheader("Cross-Origin-Opener-Policy") == "same-origin"
        assert "Python" not in (answer.getheader("Server") or "")


def test_a_folder_without_its_slash_is_sent_to_the_one_with(server: PageServer) -> None:
    answer, _ = ask(server, "/bert")
    assert (answer.status, answer.getheader("Location")) == (301, "/bert/")


def test_head_gives_the_headers_and_no_content(server: PageServer) -> None:
    answer, content = ask(server, "/", "HEAD")
    assert (answer.status, answer.getheader("Content-Length"), content) == (200, "10", b"")


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "localhost:{}", "LocalHost:{}", "[::1]:{}"])
def test_this_machines_names_are_answered(server: PageServer, host: str) -> None:
    answer, _ = ask(server, "/", host=host.format(server.server_port))
    assert answer.status == 200


STRANGERS = ["evil.example", "evil.example:{}", "localhost.evil.example:{}"]
NEARLY = ["127.0.0.1", "127.0.0.1:1", "127.0.0.1:{}x", ""]


@pytest.mark.parametrize("host", STRANGERS + NEARLY)
def test_any_other_host_gets_nothing(server: PageServer, host: str) -> None:
    answer, content = ask(server, "/", host=host.format(server.server_port))
    assert answer.status == 421
    assert b"<p>" not in content


def test_two_host_headers_get_nothing(server: PageServer) -> None:
    good = f"Host: 127.0.0.1:{server.server_port}\r\n"
    answer = ask_raw(server, f"GET / HTTP/1.1\r\n{good}Host: evil.example\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_only_get_and_head_are_allowed(server: PageServer, method: str) -> None:
    answer, _ = ask(server, "/", method, body=b"GET / HTTP/1.1\r\n\r\n")
    assert (answer.status, answer.getheader("Allow")) == (405, "GET, HEAD")


def test_a_method_nobody_knows_is_refused_in_plain_text(server: PageServer) -> None:
    answer, _ = ask(server, "/", "BREW")
    assert (answer.status, answer.getheader("Content-Type")) == (501, "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/bert/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/..\\..\\etc\\passwd",
        "//etc/passwd",
        "/bert/../index.html",
        "/index.html%00",
        "/.git/config",
        "/<script>alert(1)</script>",
        "index.html",
        "http://evil.example/",
    ],
)
def test_no_path_leaves_the_table(server: PageServer, path: str) -> None:
    host = f"Host: 127.0.0.1:{server.server_port}\r\n"
    answer = ask_raw(server, f"GET {path} HTTP/1.1\r\n{host}\r\n".encode())
    assert int(answer.split(b" ", 2)[1]) in (400, 404)
    assert b"root:" not in answer
    assert b"<script>" not in answer


def test_a_broken_request_line_is_refused_in_plain_text(server: PageServer) -> None:
    answer = ask_raw(server, b"GET <b> / HTTP/9.9\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 505 ")
    assert b"text/plain" in answer


def test_it_listens_to_the_loopback_address_only(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_port_in_use_is_one_clear_error(server: PageServer) -> None:
    with pytest.raises(ServeError, match=rf"port {server.server_port} cannot be used \(.+\): choose another"):
        PageServer(FILES, server.server_port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_does_not_exist_is_one_clear_error(port: int) -> None:
    with pytest.raises(ServeError, match=f"port {port} does not exist"):
        PageServer(FILES, port)


@contextmanager
def opened(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`cutaway open` as a process of its own, and the address that it prints."""
    command = [sys.executable, "-m", "cutaway", "open", "--no-browser", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = next((word for word in line.split() if word.startswith("http://127.0.0.1:")), "")
        assert address, line + (process.stderr.read() if process.stderr else "")
        yield process, address
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_open_serves_the_catalogue_and_stops_cleanly(number: signal.Signals) -> None:
    with opened() as (process, address):
        catalogue = urllib.request.urlopen(address).read().decode()
        assert 'href="bert-pretraining/index.html"' in catalogue
        page = urllib.request.urlopen(address + "bert-pretraining/index.html").read().decode()
        assert "cutaway-data" in page
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
        assert (process.returncode, errors) == (0, "")


@pytest.mark.process
def test_a_port_in_use_ends_the_command_with_one_line() -> None:
    with opened() as (_, address):
        port = address.rstrip("/").rpartition(":")[2]
        command = [sys.executable, "-m", "cutaway", "open", "--no-browser", "--port", port]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 2
    assert len(second.stderr.strip().splitlines()) == 1
    assert f"port {port} cannot be used" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.process
def test_a_folder_that_is_no_bundle_ends_the_command_with_one_line(tmp_path: os.PathLike[str]) -> None:
    command = [sys.executable, "-m", "cutaway", "open", "--no-browser", str(tmp_path)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 2
    assert len(answer.stderr.strip().splitlines()) == 1
    assert "Traceback" not in answer.stderr
