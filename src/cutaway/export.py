"""Bundles to pages on disk: one file, a folder, or a site of many with a catalogue.

    bundle.read -> Bundle -> page.render (with the Assets made here) -> files by name -> folder.write_*

The three forms differ only in how a page reaches its script and style sheet, and so in the policy it states:

    one file    script and style stand inside; the policy names them by their SHA-256
    folder      cutaway.js and cutaway.css stand beside index.html; the policy is 'self'
    site        the same two files at the top, one folder a page, links relative, so any sub-path and file:// will do

No policy names another origin, so a page can reach nothing but itself.
"""

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from cutaway import bundle, catalogue, page
from cutaway.bundle import Bundle
from cutaway.errors import MissingError, TargetError
from cutaway.folder import check_replaceable, write_file, write_folder
from cutaway.page import Assets

SCRIPT = "cutaway.js"
STYLE = "cutaway.css"


def static(name: str) -> str:
    """The text of a built asset of this installation.

    Raises MissingError in a checkout where they were not built.
    """
    try:
        return (resources.files("cutaway") / "static" / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingError(f"{name} is not built: run `python3 tasks.py setup` in the checkout") from None


def policy(script: str, style: str) -> str:
    """The Content-Security-Policy of a page, from its sources of scripts and of styles."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {script}",
            f"style-src {style}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


SELF = policy("'self'", "'self'")


def inline_assets() -> Assets:
    """Script and style inside the page, allowed by their hashes."""
    # In a script "<" of these two could end it or hide its end; inside a string, template or pattern, the only places
    # where they occur in built code, \x3C is the same character. A style sheet has no such escape, and no such text.
    script = re.sub(r"<(?=/script|!--)", r"\\x3C", static(SCRIPT), flags=re.IGNORECASE)
    style = static(STYLE)
    return Assets(
        css=f"<style>{style}</style>",
        js=f"<script>{script}</script>",
        policy=policy(f"'{_hash(script)}' 'strict-dynamic'", f"'{_hash(style)}'"),
    )


def linked_assets(up: str = "") -> Assets:
    """Script and style as files, `up` being the way to their folder ("" or "../")."""
    return Assets(
        css=f'<link rel="stylesheet" href="{up}{STYLE}">',
        js=f'<script src="{up}{SCRIPT}" defer></script>',
        policy=SELF,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def one_page(model: Bundle) -> bytes:
    """The whole page as one document."""
    return page.render(model, inline_assets(), None).encode()


def folder_files(model: Bundle) -> dict[str, bytes]:
    """The page as a folder: index.html, cutaway.js, cutaway.css."""
    return {"index.html": page.render(model, linked_assets(), None).encode(), **_static_files()}


def site_files(models: Sequence[Bundle]) -> dict[str, bytes]:
    """A catalogue and one folder a page, named after the bundles."""
    files = {}
    cards = []
    for folder, model in zip(folder_names(str(model.manifest["name"]) for model in models), models, strict=True):
        files[f"{folder}/index.html"] = page.render(model, linked_assets("../"), "../index.html").encode()
        cards.append(catalogue.card(model, f"{folder}/index.html"))
    return {"index.html": catalogue.render(cards, linked_assets()).encode(), **files, **_static_files()}


def folder_names(names: Iterable[str]) -> list[str]:
    """One folder name a model: letters, digits and hyphens only, each different."""
    taken: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"
        free = plain
        count = 1
        while free in taken:
            count += 1
            free = f"{plain}-{count}"
        taken.append(free)
    return taken


def _static_files() -> dict[str, bytes]:
    return {name: static(name).encode() for name in (STYLE, SCRIPT)}


def shipped() -> list[Path]:
    """The recorded bundles of the lessons that travel with the package, by name."""
    lessons = Path(str(resources.files("cutaway"))) / "lessons"
    return sorted(manifest.parent for manifest in lessons.glob("*/recorded/manifest.json"))


def export_html(bundle_path: Path, file: Path) -> None:
    """Writes a bundle's page as one HTML file that needs nothing else.

    Raises BundleError, TargetError (a name that does not end in .html, a place that cannot be written), MissingError.
    """
    file = Path(file)
    if file.suffix.lower() not in (".html", ".htm"):
        raise TargetError(f"{file} does not end in .html: name the page so")
    if file.is_dir():
        raise TargetError(f"{file} is a folder: name a file, or use --folder")
    if Path(os.path.abspath(file)).parent == Path(os.path.abspath(bundle_path)):
        raise TargetError(f"{file} would stand inside the bundle, which may hold no other file: name another place")
    write_file(file, one_page(bundle.read(Path(bundle_path))))


def export_folder(bundle_path: Path, folder: Path) -> None:
    """Writes a bundle's page as a folder that opens from a server or from disk.

    Raises BundleError, TargetError (a folder that holds other files), MissingError.
    """
    check_replaceable(Path(folder))
    write_folder(Path(folder), folder_files(bundle.read(Path(bundle_path))))


def export_site(bundle_paths: Sequence[Path], folder: Path) -> None:
    """Writes a catalogue and a page for each bundle; it works under any path of any server, and from disk.

    Raises BundleError, TargetError (a folder that holds other files, no bundle at all), MissingError.
    """
    if not bundle_paths:
        raise TargetError("a site needs at least one bundle: name some, for example the folders that `record` wrote")
    check_replaceable(Path(folder))
    write_folder(Path(folder), site_files([bundle.read(Path(path)) for path in bundle_paths]))
