"""Bundles to pages on disk: what each form holds, which policy it states, and that nothing is ever half written."""

import base64
import hashlib
import os
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import brotli
import pytest

from cutaway import bundle, catalogue, export
from cutaway.errors import BundleError, MissingError, TargetError
from cutaway.layout import arrange
from cutaway.page import Assets
from cutaway.picture import svg

LESSONS = {path.parent.name: path for path in export.shipped()}
FLAGSHIP = LESSONS.get("bert-pretraining", Path("missing"))


class Elements(HTMLParser):
    """Every element of a document with its attributes and, for scripts and styles, its text."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.text: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.text = []
        self.found.append((tag, dict(attrs), self.text))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        self.text = []

    def all(self, *tags: str) -> list[tuple[str, dict[str, str | None], str]]:
        return [(tag, attributes, "".join(text)) for tag, attributes, text in self.found if tag in tags]

    @property
    def policy(self) -> dict[str, str]:
        (content,) = [a["content"] for _, a, _ in self.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
        return dict(part.split(" ", 1) for part in (content or "").split("; "))


def forms() -> dict[str, str]:
    """Every document that an export of the shipped lessons writes."""
    models = [bundle.read(path) for path in LESSONS.values()]
    site = export.site_files(models)
    documents = {f"site/{name}": data.decode() for name, data in site.items() if name.endswith(".html")}
    for model in models:
        documents[f"{model.name}.html"] = export.one_page(model).decode()
        documents[f"{model.name}/index.html"] = export.folder_files(model)["index.html"].decode()
    return documents


DOCUMENTS = forms()


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_both_lessons_are_shipped_with_a_recorded_bundle() -> None:
    assert sorted(LESSONS) == ["bert-pretraining", "xor"]


@pytest.mark.parametrize("name", LESSONS)
def test_the_picture_shipped_with_a_lesson_is_the_one_drawn_today(name: str) -> None:
    model = bundle.read(LESSONS[name])
    assert model.lesson is not None
    graph = model.record.graphs[0]
    drawn = svg(graph, arrange(graph, model.lesson.open), model.lesson.title)
    assert model.files["graph.svg"].decode() == drawn, "run `python3 tasks.py record`"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_states_a_policy_that_names_no_origin(name: str) -> None:
    policy = Elements(DOCUMENTS[name]).policy
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert set(policy) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    for allowed in " ".join(policy.values()).split():
        assert re.fullmatch(r"'(none|self|strict-dynamic|sha256-[A-Za-z0-9+/=]{44})'", allowed)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_document_holds_what_its_policy_forbids(name: str) -> None:
    elements = Elements(DOCUMENTS[name])
    for tag, attributes, _ in elements.found:
        handlers = [attribute for attribute in attributes if attribute.startswith("on") or attribute == "style"]
        assert handlers == [], (tag, handlers)
    allowed = elements.policy
    for tag, attributes, text in elements.all("script", "style"):
        runs = tag == "style" or attributes.get("type") is None
        if runs and "src" not in attributes:
            assert digest(text) in allowed[f"{tag}-src"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_but_a_link_to_click_leads_elsewhere(name: str) -> None:
    for tag, attributes, _ in Elements(DOCUMENTS[name]).found:
        for attribute in ("src", "href", "srcset", "action", "data", "poster"):
            address = attributes.get(attribute) or ""
            assert tag == "a" or not re.match(r"[a-z+]*:?//", address, re.IGNORECASE), (tag, address)


def test_the_single_file_reads_no_other_file() -> None:
    for tag, attributes, _ in Elements(DOCUMENTS["bert-pretraining.html"]).found:
        assert tag not in ("link", "img", "iframe", "object")
        assert "src" not in attributes


def test_a_site_has_a_catalogue_and_one_folder_a_page_with_relative_links() -> None:
    files = export.site_files([bundle.read(path) for path in LESSONS.values()])
    pages = {f"{name}/index.html" for name in LESSONS}
    assert set(files) == {"index.html", "cutaway.js", "cutaway.css", *pages}
    links = {a["href"] for _, a, _ in Elements(files["index.html"].decode()).all("a")}
    assert pages <= links
    for name in pages:
        assert {"../index.html"} <= {a.get("href") for _, a, _ in Elements(files[name].decode()).all("a")}


def test_exports_of_one_bundle_are_the_same_bytes() -> None:
    model = bundle.read(FLAGSHIP)
    assert export.one_page(model) == export.one_page(bundle.read(FLAGSHIP))


def test_the_code_and_the_flagship_stay_within_their_weight() -> None:
    code = [export.static(name).encode() for name in (export.SCRIPT, export.STYLE)]
    assert sum(map(len, code)) <= 150_000
    assert sum(len(brotli.compress(part)) for part in code) <= 60_000
    assert len(export.one_page(bundle.read(FLAGSHIP))) <= 300_000


def test_folder_names_are_plain_and_different() -> None:
    names = ["BERT base", "bert-base", "../../etc", "</script>", "模型", "..", "a/b\\c"]
    assert export.folder_names(names) == ["bert-base", "bert-base-2", "etc", "script", "model", "model-2", "a-b-c"]


def test_what_could_end_a_script_early_is_written_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "static", lambda name: "a='</SCRIPT><!--<script>'" if name == export.SCRIPT else "p{}")
    assets = export.inline_assets()
    (script,) = Elements(assets.js).all("script")
    assert script[2] == r"a='\x3C/SCRIPT>\x3C!--<script>'"
    assert digest(script[2]) in assets.policy


def test_a_card_shows_text_and_never_markup() -> None:
    picture = catalogue.card(bundle.read(FLAGSHIP), "x/").picture
    hostile = catalogue.Card("x/", "<b>bold</b>", '"><script>', "<i>why</i>", 2018, 1, 2, picture)
    document = catalogue.render([hostile], Assets("", "", "default-src 'none'"))
    tags = [tag for tag, _, _ in Elements(document).found]
    assert not {"b", "script", "i"} & set(tags)
    assert "1 of 2 checks passed" in unescape(document)


def test_an_installation_without_built_assets_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(export.resources, "files", lambda package: tmp_path)
    with pytest.raises(MissingError, match=r"cutaway\.js is not built: run `python3 tasks\.py setup`"):
        export.static("cutaway.js")


def test_each_form_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    export.export_html(FLAGSHIP, tmp_path / "new" / "page.html")
    export.export_folder(FLAGSHIP, tmp_path / "folder")
    export.export_site(list(LESSONS.values()), tmp_path / "site")
    model = bundle.read(FLAGSHIP)
    assert (tmp_path / "new" / "page.html").read_bytes() == export.one_page(model)
    assert (tmp_path / "folder" / "index.html").read_bytes() == export.folder_files(model)["index.html"]
    assert (tmp_path / "site" / "xor" / "index.html").is_file()


def test_a_folder_that_is_no_bundle_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(BundleError):
        export.export_html(tmp_path / "empty", tmp_path / "page.html")
    with pytest.raises(BundleError):
        export.export_folder(tmp_path / "empty", tmp_path / "folder")
    with pytest.raises(BundleError):
        export.export_site([FLAGSHIP, tmp_path / "empty"], tmp_path / "site")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_name_that_is_no_page_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "weights.pt").write_text("mine")
    with pytest.raises(TargetError, match=r"weights\.pt does not end in \.html"):
        export.export_html(FLAGSHIP, tmp_path / "weights.pt")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(TargetError, match="is a folder"):
        export.export_html(FLAGSHIP, tmp_path / "folder.html")
    with pytest.raises(TargetError, match="at least one bundle"):
        export.export_site([], tmp_path / "site")


def test_a_page_is_not_written_into_its_own_bundle(tmp_path: Path) -> None:
    place = shutil.copytree(export.shipped()[0], tmp_path / "bundle")
    with pytest.raises(TargetError, match="would stand inside the bundle"):
        export.export_html(place, place / "page.html")
    bundle.read(place)
