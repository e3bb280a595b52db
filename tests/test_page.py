"""The static document: cutaway.page."""

import base64
import gzip
import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote_to_bytes

import numpy as np
import pytest
from golden.write_panels import BUNDLES

from cutaway import bundle
from cutaway.bundle import Bundle
from cutaway.markup import Markup, element, join, phrase, prose
from cutaway.number import exact, show
from cutaway.page import Assets, render
from cutaway.page.data import script_json
from cutaway.page.listing import listing
from cutaway.page.words import select, words
from cutaway.panels.scene import landmark
from cutaway.recorded import Example, Graph, Record, Scope, Value
from cutaway.tensor import Tensor

ASSETS = Assets("<style></style>", "<script></script>", "default-src 'none'")
GOLDEN = Path(__file__).parent / "golden"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
BERT = bundle.read(BUNDLES["bert-pretraining"])
PAGE = render(BERT, ASSETS, "../index.html")


class Reader(HTMLParser):
    """What a reader sees without a script: text outside script and style, and every start tag."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.words, self.tags, self.open, self.ids = [], [], [], []
        self.feed(html)
        self.text = re.sub(r"\s+", " ", " ".join(self.words))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id"]
        if tag in ("script", "style"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        if not self.open:
            self.words.append(data)


READ = Reader(PAGE)


def plain_bundle(name="Net", value="hidden", text=None):
    """A bundle without lesson and checks, of one value."""
    tensor = Tensor.of(np.arange(6, dtype=np.float32).reshape(2, 3))
    values = (Value(value, "constant", "float32", (2, 3), (3, 1), 0, None, 0),)
    graph = Graph((Scope("", "", name, None, 0, {}, None),), values, (), {}, None)
    record = Record((graph,), (Example("example", 0, (tensor,)),), name)
    files = bundle.compose(record, {"model.py": text.encode()} if text else {}, [])
    return Bundle(record, None, json.loads(files["manifest.json"]), files)


def test_the_sections_stand_in_the_order_of_the_page():
    order = ["All models", "Language milestones", "2018", "What does an encoder gain", "Architecture", "Guided tour",
             "Recorded examples", "Checked, not claimed", "About this model", "Provenance"]  # fmt: skip
    places = [READ.text.index(words) for words in order]
    assert places == sorted(places)


def test_every_figure_of_the_reference_example_stands_on_the_page():
    reference = json.loads((GOLDEN / "reference_example.json").read_text(encoding="utf-8"))
    figures = [figure for part in reference["figures"].values() for figure in flat(part)]
    cells = re.findall(r">([^<>]+)</(?:td|b)>", PAGE)
    assert [figure for figure in figures if figure not in cells] == []
    assert len(figures) == 36 + 16 + 2 + 3


def flat(part):
    return [part] if isinstance(part, str) else [figure for item in part for figure in flat(item)]


def test_every_step_of_the_tour_can_be_read_without_a_script():
    for step in BERT.lesson.tour:
        assert step["title"] in READ.text
    assert show(BERT.record.array("reference", "embeddings.summed")[2, 0]) in READ.text
    assert "{{" not in READ.text


def test_a_recorded_number_of_a_text_leads_to_its_value_and_has_all_its_digits():
    titles = {attrs["href"]: attrs.get("title") for tag, attrs in READ.tags if tag == "a"}
    loss = BERT.record.tensor("reference", "mlm_loss")
    assert titles["#select=mlm_loss&example=reference"] == exact(loss.array().item(), loss.dtype)
    assert titles["#select=encoder.attention.probs&example=causal"] == "0"


@pytest.mark.parametrize(
    "text", ["`{{loss}}`", "[a {{loss}}](#about)", "{{count.ops}}", "{{change-0:masked_token.decoder.output[0,0]}}"]
)
def test_what_no_link_can_stand_in_or_lead_to_is_a_plain_number(text):
    html = words(BERT).blocks(text)
    assert "#select=" not in html
    assert "[0" not in html
    assert re.search(r"\d", html)


def test_a_value_is_selected_by_a_name_that_can_mean_nothing_else():
    scopes = (Scope("", "", "Net", None, 0, {}, None), Scope("a b", "", "Net", 0, 0, {}, None))
    record = Record((Graph(scopes, (), (), {}, None),), (Example("one", 0, ()),))
    assert select(record, "one", "a b") == "#select=value%3Aa%20b"
    assert select(record, "one", "op:1") == "#select=value%3Aop%3A1"
    assert select(record, "one", "a&b+c") == "#select=a%26b%2Bc"


def test_each_panel_names_the_values_it_draws():
    found = re.findall(r'<p class="drawn">(.*?)</p>', PAGE)
    assert [re.findall(r'href="#select=([^"]*)"', line) for line in found] == [
        ["input_ids", "token_type_ids", "labels"], ["encoder.attention.probs"], ["mlm_probs"], ["nsp_probs"],
        ["mlm_loss", "nsp_loss", "loss"], ["masked_token.decoder.output"],
    ]  # fmt: skip


def test_a_step_of_another_example_than_the_first_says_so():
    tour = ({**BERT.lesson.tour[0], "example": "causal"}, BERT.lesson.tour[1])
    made = render(replace(BERT, lesson=replace(BERT.lesson, tour=tour)), ASSETS, None)
    lines = re.findall(r'<p class="of"( hidden)?>These numbers are of the example <a href="#step=(\d)">(.*?)</a>', made)
    assert lines == [("", "1", "‘left only, side by side’"), (" hidden", "2", "‘the reference pair’")]


def test_what_is_simplified_and_not_claimed_is_not_folded_away():
    folded = "".join(re.findall(r"<details.*?</details>", PAGE, re.DOTALL))
    assert "What is simplified" in READ.text
    assert "What is not claimed" in READ.text
    assert "What is" not in folded


def test_the_usual_command_of_the_checks_is_said_once():
    checks = PAGE[PAGE.index('id="checks"') : PAGE.index('id="about"')]
    assert re.findall(r"<code>(.*?)</code>", checks) == [
        "cutaway verify bert-pretraining-bundle", "cutaway verify bert-pretraining-bundle --rerun",
    ]  # fmt: skip


def test_a_recording_without_a_recipe_names_no_folder_that_a_command_made():
    check = {**BERT.manifest["checks"][0], "how": "cutaway verify BUNDLE"}
    made = plain_bundle()
    text = Reader(render(replace(made, manifest={**made.manifest, "checks": [check]}), ASSETS, None)).text
    assert "From its bundle, this command makes the page again: cutaway export BUNDLE --html page.html" in text
    assert "cutaway verify BUNDLE" in text
    assert "Net-bundle" not in text


def test_every_check_has_its_row_with_verdict_figure_and_command():
    for check in BERT.manifest["checks"]:
        how = check["how"].replace("BUNDLE", "bert-pretraining-bundle")  # the folder of the commands under Provenance
        for text in (check["claim"], check["measured"], how):
            assert re.sub(r"\s+", " ", text) in READ.text
    assert READ.text.count("✓ passed") == sum(check["status"] == "passed" for check in BERT.manifest["checks"])


def test_a_check_that_was_not_run_says_so():
    checks = [{**BERT.manifest["checks"][0], "status": "not run", "measured": ""}]
    text = Reader(render(replace(BERT, manifest={**BERT.manifest, "checks": checks}), ASSETS, None)).text
    assert "1 claim: 1 not run." in text
    assert "○ not run" in text


def test_provenance_names_revision_versions_and_the_hash_of_every_file():
    for line in BERT.files["SHA256SUMS"].decode().splitlines():
        for part in line.split("  "):
            assert part in READ.text
    facts = [BERT.manifest["revision"], BERT.manifest["capture"]["torch"], BERT.manifest["capture"]["date"]]
    assert all(fact in READ.text for fact in facts)


def test_the_recipe_can_be_downloaded_from_the_page_itself():
    address = next(attrs["href"] for tag, attrs in READ.tags if tag == "a" and attrs.get("download") == "run.py")
    kind, _, data = address.partition(",")
    assert kind == "data:text/x-python;charset=utf-8"
    assert unquote_to_bytes(data) == BERT.files["run.py"]
    assert "#" not in data  # a browser would end the file there


@pytest.mark.parametrize("name", ["net", "a b", "x; touch /tmp/pwned #", "it's $(id)", "-rf", "--help", "&<b>", "`id`"])
def test_the_commands_of_the_page_take_a_name_as_one_argument_whatever_it_holds(name):
    made = plain_bundle(name)
    check = {**BERT.manifest["checks"][0], "how": "cutaway verify BUNDLE --rerun"}
    made = replace(made, manifest={**made.manifest, "checks": [check]}, files={**made.files, "run.py": b""})
    texts = Reader(render(made, ASSETS, None)).words
    commands = [shlex.split(line) for text in texts for line in text.splitlines() if line.startswith("cutaway ")]
    safe = f"./{name}" if name.startswith("-") else name
    assert commands == [
        ["cutaway", "verify", f"{safe}-bundle", "--rerun"],
        ["cutaway", "record", safe, "--out", f"{safe}-bundle"],
        ["cutaway", "export", f"{safe}-bundle", "--html", f"{safe}.html"],
    ]


def test_each_line_of_the_model_has_an_anchor():
    count = len(BERT.files["model.py"].decode().splitlines())
    anchors = [name for name in READ.ids if name.startswith("source-model.py-L")]
    assert anchors == [f"source-model.py-L{i}" for i in range(1, count + 1)]


def test_no_id_stands_twice():
    assert len(READ.ids) == len(set(READ.ids))


def test_every_link_inside_the_page_leads_somewhere():
    for tag, attrs in READ.tags:
        target = attrs.get("href", "")
        if tag == "a" and target.startswith("#") and "=" not in target:
            assert target[1:] in READ.ids


def test_nothing_on_the_page_needs_another_origin():
    for tag, attrs in READ.tags:
        assert "src" not in attrs
        assert "style" not in attrs
        assert not any(name.startswith("on") for name in attrs)
        assert tag not in ("link", "img", "iframe", "object", "embed")


def test_the_policy_stands_before_anything_it_governs():
    head = PAGE[: PAGE.index("</head>")]
    assert head.index("Content-Security-Policy") < head.index("<style>")


def inflated(name):
    return gzip.decompress(base64.b64decode(re.search(rf'id="{name}">(.*?)</script>', PAGE)[1]))


def test_the_data_blocks_hold_the_lesson_the_graph_and_the_values():
    tree = json.loads(re.search(r'id="cutaway-data">(.*?)</script>', PAGE)[1])
    assert [panel["kind"] for panel in tree["lesson"]["panels"]] == [panel["kind"] for panel in BERT.lesson.panels]
    assert inflated("cutaway-graph") == BERT.files["graph.json"]
    assert inflated("cutaway-values") == BERT.files["values.safetensors"]


def test_two_renderings_are_the_same_bytes():
    assert render(BERT, ASSETS, "../index.html") == PAGE


def test_without_a_catalogue_there_is_no_way_back():
    assert "All models" not in Reader(render(BERT, ASSETS, None)).text


@pytest.mark.parametrize("place", ["name", "value", "text"])
def test_a_hostile_text_stays_text(place):
    made = plain_bundle(**{place: f'"""{HOSTILE}"""' if place == "text" else HOSTILE})
    read = Reader(render(made, ASSETS, None))
    assert not any("onerror" in attrs for _, attrs in read.tags)
    assert sum(tag == "script" for tag, _ in read.tags) == 4  # three data blocks and the page's own
    assert "<img src=x onerror=alert(2)>" in read.text


def test_a_recording_without_a_lesson_has_its_graph_and_a_heatmap_of_any_value():
    read = Reader(render(plain_bundle(), ASSETS, None))
    assert "What happens inside Net?" in read.text
    assert "Any value" in read.text
    assert "Guided tour" not in read.text
    assert "No check was run on this recording." in read.text
    assert "min 0 · max 5" in read.text


def test_the_first_value_shown_without_a_lesson_is_the_last_result():
    assert landmark(BERT.record, "reference") == "loss"


def test_a_recording_without_any_tensor_has_a_page_without_values():
    record = Record((Graph((Scope("", "", "Net", None, 0, {}, None),), (), (), {}, None),), (Example("one", 0, ()),))
    files = bundle.compose(record, {}, [])
    read = Reader(render(Bundle(record, None, json.loads(files["manifest.json"]), files), ASSETS, None))
    assert "0 operations in 1 scope, 0 boxes shown" in read.text
    assert "Any value" not in read.text
    assert ("section", "examples") not in [(tag, attrs.get("id")) for tag, attrs in read.tags]


def test_nothing_that_needs_the_script_is_announced_or_offered_before_it_runs():
    assert "Opening" not in READ.text
    for button in re.finditer(r"<button", PAGE):
        assert "needs-script" in PAGE[: button.start()].rpartition("<div")[2]


def test_json_in_a_script_can_neither_end_it_nor_begin_a_comment():
    tree = {"text": "</script><!--<script>"}
    assert "<" not in script_json(tree)
    assert json.loads(script_json(tree)) == tree


def test_children_are_escaped_unless_they_are_markup():
    assert element("p", {"title": '"<&'}, "<b>", Markup("<i></i>"), ["&", None]) == (
        '<p title="&quot;&lt;&amp;">&lt;b&gt;<i></i>&amp;</p>'
    )
    assert join("<", ["<"]) == "&lt;&lt;"


def test_attributes_that_are_none_or_false_are_left_out():
    assert element("input", {"a": None, "b": False, "c": True, "d": 0}) == '<input c d="0"/>'


@pytest.mark.parametrize("text", ["<b>x</b>", "![x](https://example.org/x.png)", "[x](javascript:alert)"])
def test_markdown_makes_no_html_images_or_script_links(text):
    for html in (prose(text), phrase(text)):
        assert not re.search(r"<(b|img)|href=.javascript", html)


def test_a_listing_keeps_every_character_of_the_source():
    source = 'def f(x):\n    """A <tag> & more.\n    Second line."""\n    return x < 1\n'
    assert "".join(Reader(listing("model.py", source)).words) == source


def test_a_tour_text_with_markdown_is_rendered():
    assert prose("**bold** and `code`") == "<p><strong>bold</strong> and <code>code</code></p>\n"
