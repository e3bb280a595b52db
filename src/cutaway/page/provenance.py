"""Where every number comes from: source, recipe, the commands that make this page again, manifest and hashes."""

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from cutaway.bundle import SUMS, Bundle
from cutaway.markup import Markup, element, join
from cutaway.number import show
from cutaway.page.listing import listing

PLAIN = " /:;,=()[]{}*+-_.|!?@~^`$"  # what a data address may hold as it is, besides letters and digits


def section(bundle: Bundle) -> Markup:
    return element(
        "section",
        {"class": "provenance", "id": "provenance", "aria-labelledby": "provenance-title"},
        element("h2", {"id": "provenance-title"}, "Provenance"),
        _commands(bundle),
        _recipe(bundle),
        _model(bundle),
        element("h3", {}, "Manifest"),
        _table("Facts of the capture", _facts(bundle.manifest)),
        element("h3", {}, "Contents, as SHA-256"),
        _table("Hashes", _hashes(bundle)),
    )


def _commands(bundle: Bundle) -> Markup:
    """The two commands that make the page again, as far as the bundle holds what they need."""
    if "run.py" not in bundle.files:
        return join(
            element("p", {}, "This recording holds no recipe. From its bundle, this command makes the page again:"),
            _pre("cutaway export BUNDLE --html page.html"),
        )
    export = f"cutaway export {place(bundle)} --html {argument(f'{bundle.name}.html')}"
    commands = f"cutaway record {argument(bundle.name)} --out {place(bundle)}\n{export}"
    return join(
        element("p", {}, "Two commands make this page again, the first with PyTorch, the second without:"),
        _pre(commands),
    )


def place(bundle: Bundle) -> str:
    """The bundle's folder as the commands of the page name it; without a recipe no command of the page made one."""
    return "BUNDLE" if "run.py" not in bundle.files else argument(f"{bundle.name}-bundle")


def argument(text: str) -> str:
    """A name as one argument of a shell's command, whatever it holds, and never an option."""
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def _pre(commands: str) -> Markup:
    keys = {"class": "commands", "tabindex": "0", "role": "region", "aria-label": "Commands"}  # it may scroll
    return element("pre", keys, element("code", {}, commands))


def _model(bundle: Bundle) -> Markup | None:
    """The model's source, to read; the graph's inspector links into its lines."""
    if "model.py" not in bundle.files:
        return None
    text = bundle.files["model.py"].decode("utf-8", errors="replace")
    lines = len(text.splitlines())
    title = element("summary", {}, "The model, ", element("code", {}, "model.py"), f" · {lines} lines")
    return element("details", {"open": True}, title, listing("model.py", text))


def _recipe(bundle: Bundle) -> Markup | None:
    """The recipe, to download: a data address works from a file and without a script."""
    if "run.py" not in bundle.files:
        return None
    address = "data:text/x-python;charset=utf-8," + quote(bundle.files["run.py"], safe=PLAIN)
    lines = len(bundle.files["run.py"].splitlines())
    link = element("a", {"href": address, "download": "run.py"}, "Download run.py")
    return element("p", {}, link, f", the recipe that made every value above, {lines} lines.")


def _facts(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    capture = manifest["capture"]
    plain = manifest["plain_run"]
    rows = [
        ("Format", f"{manifest['format']}, version {manifest['version']}"),
        ("Content revision", str(manifest["revision"])),
        ("Seed", "none" if manifest["seed"] is None else str(manifest["seed"])),
    ]
    rows += [(name.capitalize(), _fact(value)) for name, value in capture.items()]
    if "equal" in plain:
        gap = plain["largest_difference"]
        apart = "outputs of another form" if gap is None else f"differs by up to {show(gap)}"
        rows.append(("Compared with a plain run", "bit for bit equal" if plain["equal"] else apart))
    return rows


def _fact(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_fact(item)}" for name, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _hashes(bundle: Bundle) -> list[tuple[str, str]]:
    """Those of source, recipe, weights and inputs, then one a file, as SHA256SUMS lists them."""
    named = [(name.capitalize(), str(digest)) for name, digest in bundle.manifest["hashes"].items() if digest]
    lines = bundle.files[SUMS].decode("utf-8").splitlines()
    return named + [(name, digest) for digest, _, name in (line.partition("  ") for line in lines)]


def _table(caption: str, rows: Sequence[tuple[str, str]]) -> Markup:
    body = [
        element("tr", {}, element("th", {"scope": "row"}, name), element("td", {}, element("code", {}, value)))
        for name, value in rows
    ]
    return element("table", {"class": "plain-table manifest", "aria-label": caption}, element("tbody", {}, body))
