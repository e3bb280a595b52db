"""lesson.md: what it may hold, what it may name, and how recorded numbers get into its words."""

import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tampering import everything

from cutaway import bundle
from cutaway.errors import LessonError
from cutaway.lesson import Lesson, parse
from cutaway.panels import check_drawable
from cutaway.prose import check_typed_by_hand, fill
from cutaway.recorded import Record
from cutaway.references import check_references, parse_cells
from cutaway.source import LESSONS, shipped_bundle, shipped_lessons
from cutaway.tensor import Tensor

XOR = (LESSONS / "xor" / "lesson.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def record() -> Record:
    return bundle.read(shipped_bundle("xor")).record


def refused(act: Callable[[], object], *parts: str) -> None:
    """It fails with one line that holds all the parts."""
    with pytest.raises(LessonError) as caught:
        act()
    message = str(caught.value)
    assert "\n" not in message
    for part in ("lesson.md", *parts):
        assert part in message


def changed(old: str, new: str) -> str:
    """The XOR lesson with one text replaced by another."""
    assert old in XOR
    return XOR.replace(old, new, 1)


def appended(table: str) -> str:
    """The XOR lesson with one more table at the end of its front matter."""
    head, body = XOR.rsplit("+++\n", 1)
    return f"{head}\n{table}\n+++\n{body}"


# --- form


@pytest.mark.parametrize("name", shipped_lessons())
def test_a_shipped_lesson_is_read_and_names_only_what_was_recorded(name: str) -> None:
    lesson = parse((LESSONS / name / "lesson.md").read_bytes())
    found = bundle.read(shipped_bundle(name)).record
    check_references(lesson, found)
    check_drawable(found, lesson)
    assert lesson.tour
    assert lesson.panels


def test_the_parts_of_a_lesson_come_back_in_order() -> None:
    lesson = parse(XOR)
    assert lesson.title == "XOR in two layers"
    assert lesson.year == 1986
    assert lesson.open == ("hidden",)
    assert [step["step"] for step in lesson.tour] == [1, 2, 3]
    assert [panel["kind"] for panel in lesson.panels] == ["curve", "table", "heatmap"]
    assert lesson.body.startswith("The network has {{count.parameters}} parameters")
    assert parse(XOR.replace("\n", "\r\n")) == lesson
    assert parse(XOR.encode()) == lesson


def test_vocabulary_keys_become_numbers() -> None:
    lesson = parse(appended('[vocabulary]\n1 = "[CLS]"\n20 = "hello"'))
    assert lesson.vocabulary == {1: "[CLS]", 20: "hello"}


@pytest.mark.parametrize("key", ["title", "question", "promise", "family", "year", "curator", "licence"])
def test_a_missing_word_is_named(key: str) -> None:
    text = re.sub(rf"^{key} = .*\n", "", XOR, count=1, flags=re.MULTILINE)
    refused(lambda: parse(text), f"the front matter has no {key}; add it")


@pytest.mark.parametrize("key", ["credits", "simplified", "not_claimed"])
def test_a_missing_list_is_named(key: str) -> None:
    text = re.sub(rf"^{key} = \[.*?\]\n", "", XOR, count=1, flags=re.MULTILINE | re.DOTALL)
    refused(lambda: parse(text), f"has no {key}; add it")


FORM_FAULTS = {
    "no front matter": ("just words", "must begin with front matter between two +++ lines"),
    "no end of the front matter": ("+++\ntitle = 'x'", "between two +++ lines"),
    "nothing": ("", "between two +++ lines"),
    "words before the front matter": ("hello\n" + XOR, "between two +++ lines"),
    "no TOML": ("+++\ntitle = \n+++\n", "is not TOML", "correct that line"),
    "a key twice": (changed('family = "First', 'title = "x"\nfamily = "First'), "is not TOML"),
    "an unknown key": (
        changed('family = "First', 'colour = "red"\nfamily = "First'),
        "unknown key 'colour'; known are",
    ),
    "an unknown key of a step": (
        changed("step = 1\n", "step = 1\nsteps = 2\n"),
        "tour step 1 has the unknown key 'steps'",
    ),
    "an unknown key of an example": (
        changed('name = "step-0"', 'name = "step-0"\nnote = "x"'),
        "example 1 has the unknown key 'note'",
    ),
    "an unknown key of a panel": (
        changed('axis = "steps"', 'axes = "steps"'),
        "panel 1 (curve) has the unknown key 'axes'",
    ),
    "an unknown key of a part": (
        changed('[[panel.line]]\nvalue = "loss"', '[[panel.line]]\ncolour = "red"\nvalue = "loss"'),
        "panel 1 (curve), line has the unknown key 'colour'",
    ),
    "an unknown kind of panel": (
        changed('kind = "curve"', 'kind = "pie"'),
        "panel 1 is of kind 'pie'; the kinds are tokens, heatmap",
    ),
    "a panel without a kind": (changed('kind = "curve"\n', ""), "panel 1 is of kind None"),
    "a kind that is a list": (changed('kind = "curve"', 'kind = ["curve"]'), "panel 1 is of kind ['curve']"),
    "a panel without a title": (changed('title = "Loss over training"\n', ""), "panel 1 (curve) has no title"),
    "a panel without its values": (
        changed('values = ["points", "truth", "probs"]\n', ""),
        "panel 2 (table) has no values",
    ),
    "a line without a title": (
        changed('value = "loss"\ntitle = "loss"', 'value = "loss"'),
        "panel 1 (curve), line has no title",
    ),
    "a year in words": (changed("year = 1986", 'year = "1986"'), "year = '1986'; it must be a whole number"),
    "true for a year": (changed("year = 1986", "year = true"), "year = 'True'; it must be a whole number"),
    "a number for a title": (changed('title = "XOR in two layers"', "title = 3"), "title = '3'; it must be a text"),
    "a text for credits": (
        changed('simplified = ["All', 'simplified = "All').replace('descent."]', 'descent."', 1),
        "simplified",
        "must be a list of texts",
    ),
    "a text for open": (changed('open = ["hidden"]', 'open = "hidden"'), "open = 'hidden'; it must be a list of texts"),
    "one table where a list belongs": (
        changed("[[tour]]\nstep = 1", "[tour]\nstep = 1").split("[[tour]]")[0] + "+++\n",
        "tour",
        "must be one or more tables",
    ),
    "a word for a tour": (
        changed('family = "First', 'tour = 5\nfamily = "First').split("[[example]]")[0] + "+++\n",
        "tour = '5'",
    ),
    "words that are no list of lines": (
        changed("[[panel.line]]\n", "[panel.line]\n"),
        "line",
        "must be one or more tables",
    ),
    "a number that is no number": (
        changed("at = [0, 5,", 'at = ["0", 5,'),
        "panel 1 (curve) has at",
        "a list of numbers",
    ),
    "an example that is no text": (changed('examples = ["step-0"', "examples = [0"), "a list of texts"),
    "too few numbers for the examples": (changed("at = [0, 5,", "at = [5,"), "has 8 examples but 7 numbers in at"),
    "too few names for the values": (changed('names = ["inputs", ', "names = ["), "has 3 values but 2 names"),
    "a vocabulary of words": (appended('[vocabulary]\none = "x"'), "vocabulary has one = 'x'; write a token id"),
    "a vocabulary of numbers": (appended("[vocabulary]\n1 = 1"), "vocabulary has 1 = 1"),
    "a tour out of order": (
        changed("step = 2", "step = 3"),
        "tour step 3 stands at place 2; number the steps 1, 2, 3 in order",
    ),
    "a tour that begins at zero": (changed("step = 1", "step = 0"), "tour step 0 stands at place 1"),
    "a step that is true": (changed("step = 1", "step = true"), "step = 'True'"),
    "cells of nothing": (changed('value = "activations"\ncells', "cells"), "tour step 2 has cells but no value"),
    "an example twice": (changed('name = "step-20"', 'name = "step-0"'), "example 2 is 'step-0' a second time"),
    "a reference without a text": (
        changed("[[references]]\ntext =", "[[references]]\nlink ="),
        "reference 1 has no text",
    ),
    "a link that runs code": (
        changed("[[references]]\n", '[[references]]\nlink = "javascript:alert(1)"\n'),
        "link = 'javascript:alert(1)'; use an http or https",
    ),
}


@pytest.mark.parametrize("fault", FORM_FAULTS)
def test_a_fault_of_form_is_refused_with_its_place(fault: str) -> None:
    text, *parts = FORM_FAULTS[fault]
    refused(lambda: parse(text), *parts)


def test_bytes_that_are_no_text_are_refused() -> None:
    refused(lambda: parse(b"+++\n\xff\n+++\n"), "is not UTF-8", "save it as UTF-8")


# --- decimals


@pytest.mark.parametrize(
    "prose",
    ["0.15", "-0.15", "−0.15", ".5", "1e-5", "2E6", "1.5e-3", "(0.15)", "0.15.", "$0.15", "a=0.15", "0.15-0.20"],
)
def test_a_decimal_typed_in_prose_is_refused(prose: str) -> None:
    refused(lambda: check_typed_by_hand(f"The share {prose} of all", "the question"), "the question", "typed by hand")


@pytest.mark.parametrize(
    "prose",
    [
        "15 %", "Apache-2.0", "torch 2.13.0", "v2.0", "GPT-3.5", "in 1986.", "3,000", "step 2: 4 of 5.", "e-mail",
        "file.py", "{{loss}}", "{{probs[1]}}", "{{literal 0.15}}", "see https://example.org/abs/1810.04805", "[2,3]",
    ],
)  # fmt: skip
def test_what_is_no_decimal_may_be_typed(prose: str) -> None:
    check_typed_by_hand(f"The share {prose} of all", "the question")


PROSE_PLACES = {
    "title": ('title = "XOR in two layers"', 'title = "XOR 0.25"', "title"),
    "question": ('question = "Why', 'question = "0.25 Why', "question"),
    "promise": ('promise = "After', 'promise = "0.25 After', "promise"),
    "credits": ('  "PyTorch provides', '  "0.25 PyTorch provides', "credits 2"),
    "tour title": ('title = "Four points', 'title = "0.25 points', "the title of tour step 1"),
    "tour text": ('text = "Three units', 'text = "0.25 units', "the text of tour step 2"),
    "example words": ('words = "Weights', 'words = "0.25 Weights', "the words of example 'step-0'"),
    "panel words": ('words = "Binary', 'words = "0.25 Binary', "the words of panel 1"),
    "column title": ('"probability of 1"', '"probability of 0.25"', "panel 2 (table), names"),
    "row title": ('"(1, 1)"]', '"(0.25, 1)"]', "panel 3 (heatmap), rows"),
    "axis": ('axis = "steps"', 'axis = "0.25 steps"', "panel 1 (curve), axis"),
    "line title": ('value = "loss"\ntitle = "loss"', 'value = "loss"\ntitle = "loss 0.25"', "panel 1 (curve), line"),
    "body": ("The network has", "0.25 The network has", "the text after the front matter"),
}


@pytest.mark.parametrize("place", PROSE_PLACES)
def test_a_decimal_is_found_wherever_words_may_stand(place: str) -> None:
    old, new, where = PROSE_PLACES[place]
    refused(lambda: parse(changed(old, new)), f"lesson.md, {where}: 0.25 is typed by hand", "{{literal 0.25}}")


# --- references

REFERENCE_FAULTS = {
    "scope to open": (
        'open = ["hidden"]',
        'open = ["hiden"]',
        "open: no scope is named 'hiden'; did you mean hidden?",
    ),
    "scope of a step": ('scope = "answer"', 'scope = "reply"', "tour step 3: no scope is named 'reply'"),
    "value of a step": ('value = "probs"', 'value = "chances"', "tour step 3: no value is named 'chances'"),
    "example of a step": ('example = "step-0"', 'example = "step-1"', "tour step 1: no example is named 'step-1'"),
    "example of the picker": (
        'name = "step-20"',
        'name = "step-21"',
        "example 'step-21': no example is named 'step-21'",
    ),
    "example beside": ('beside = "step-0"', 'beside = "step-1"', "example 'step-20': no example is named 'step-1'"),
    "value of a panel": (
        'value = "activations"\nrows',
        'value = "active"\nrows',
        "panel 3 (heatmap): no value is named 'active'",
    ),
    "value of a table": (
        '["points", "truth", "probs"]',
        '["points", "truth", "p"]',
        "panel 2 (table): no value is named 'p'",
    ),
    "value of a line": (
        '[[panel.line]]\nvalue = "loss"',
        '[[panel.line]]\nvalue = "cost"',
        "panel 1 (curve): no value is named 'cost'",
    ),
    "value for headers": (
        'rows = ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]',
        'rows = "labels"',
        "panel 3 (heatmap): no value is named 'labels'",
    ),
    "example of a panel": (
        'examples = ["step-0", "step-5"',
        'examples = ["step-0", "step-6"',
        "panel 1 (curve): no example is named 'step-6'",
    ),
    "cell beyond the end": (
        'cells = "[1,:]"',
        'cells = "[4,:]"',
        "tour step 2: cells = '[4,:]' does not fit a value of shape [4, 3]",
    ),
    "cells of too few axes": ('cells = "[1,:]"', 'cells = "[1]"', "does not fit a value of shape [4, 3]"),
    "cells in words": ('cells = "[1,:]"', 'cells = "first"', "cells = 'first' is not of the form [2,:]"),
    "cell in a text": (
        "{{step-0:probs[1]}}",
        "{{step-0:probs[4]}}",
        "tour step 1: {{step-0:probs[4]}} names no cell of a value of shape [4]",
    ),
    "cell of a scalar": (
        "{{step-0:loss}}",
        "{{step-0:loss[0]}}",
        "tour step 3",
        "names no cell of a value of shape []",
    ),
    "no cell of a vector": ("{{step-0:probs[1]}}", "{{step-0:probs}}", "names no cell of a value of shape [4]"),
    "value in a text": ("{{step-0:loss}}", "{{step-0:cost}}", "tour step 3: {{step-0:cost}}: no value named 'cost'"),
    "example in a text": (
        "{{step-0:loss}}",
        "{{step-1:loss}}",
        "tour step 3: {{step-1:loss}}: no example is named 'step-1'; there are step-0",
    ),
    "count in the body": (
        "{{count.parameters}}",
        "{{count.neurons}}",
        "the text after the front matter: there is no count.neurons; there are examples",
    ),
    "open braces": ("{{step-0:loss}}", "{{step-0:loss}", "has no partner"),
    "closed braces": ("{{step-0:loss}}", "step-0:loss}}", "tour step 3: a {{ or }} has no partner"),
    "empty braces": ("{{step-0:loss}}", "{{}}", "tour step 3"),
    "value in a question": (
        "Why does a network",
        "{{cost}} Why does a network",
        "question: {{cost}}: no value named 'cost'",
    ),
}


@pytest.mark.parametrize("fault", REFERENCE_FAULTS)
def test_a_name_that_was_not_recorded_is_refused_with_its_place(fault: str, record: Record) -> None:
    old, new, *parts = REFERENCE_FAULTS[fault]
    lesson = parse(changed(old, new))
    refused(lambda: check_references(lesson, record), *parts)


def test_a_value_that_its_example_did_not_keep_is_refused(record: Record) -> None:
    last = record.examples[-1]
    ids = record.graphs[0].ids
    for value, parts in {"probs": ("tour step 3",), "loss": ("panel 1 (curve)", "tour step 3")}.items():
        tensors = tuple(None if i == ids[value] else tensor for i, tensor in enumerate(last.tensors))
        thinner = replace(record, examples=(*record.examples[:-1], replace(last, tensors=tensors)))
        with pytest.raises(LessonError, match=f"the value '{value}' was not kept in example 'step-400'") as caught:
            check_references(parse(XOR), thinner)
        assert any(part in str(caught.value) for part in parts)


PANEL_FAULTS = {
    "headers for other rows": ('"(1, 0)", "(1, 1)"]', '"(1, 0)"]', "names 3 headers for 4 cells"),
    "a vector where a scalar belongs": (
        '[[panel.line]]\nvalue = "loss"',
        '[[panel.line]]\nvalue = "probs"',
        "'Loss over training' does not fit the values",
    ),
    "columns of other lengths": (
        '["points", "truth", "probs"]',
        '["points", "truth", "loss"]',
        "must have as many each",
    ),
}


@pytest.mark.parametrize("fault", PANEL_FAULTS)
def test_a_panel_that_does_not_fit_its_values_is_refused_before_anything_is_written(
    fault: str, record: Record, tmp_path: object
) -> None:
    old, new, part = PANEL_FAULTS[fault]
    lesson = changed(old, new)
    with pytest.raises(LessonError, match=re.escape(part)):
        bundle.write(record, f"{tmp_path}/b", sources={"lesson.md": lesson.encode()})
    assert everything(bundle.Path(f"{tmp_path}")) == {}


def test_a_lesson_that_names_what_was_not_recorded_is_not_written(record: Record, tmp_path: object) -> None:
    lesson = changed('open = ["hidden"]', 'open = ["hiden"]')
    refused(lambda: bundle.write(record, f"{tmp_path}/b", sources={"lesson.md": lesson.encode()}), "hiden")
    assert everything(bundle.Path(f"{tmp_path}")) == {}


# --- filling in


def filled(text: str, record: Record, example: str = "step-400") -> str:
    return fill(text, record, example)


def test_a_reference_prints_a_cell_of_the_example_that_is_meant(record: Record) -> None:
    here, there = (f"{record.array(e, 'probs')[1]:.4g}" for e in ("step-400", "step-0"))
    assert filled("a {{probs[1]}} b {{ step-0:probs[ 1 ] }} c", record) == f"a {here} b {there} c"
    assert here != there


def test_a_scalar_needs_no_cell_and_digits_may_be_asked_for(record: Record) -> None:
    loss = float(record.array("step-400", "loss"))
    assert filled("{{loss}}", record) == f"{loss:.4g}"
    assert filled("{{loss|6}}", record) == f"{loss:.6g}"
    assert filled("{{probs[1]|2}}", record) == f"{record.array('step-400', 'probs')[1]:.2g}"


def test_counts_are_those_of_the_manifest(record: Record) -> None:
    for name, count in record.counts.items():
        assert filled(f"{{{{count.{name}}}}}", record) == str(count)


def test_a_literal_is_printed_as_it_stands(record: Record) -> None:
    assert filled("{{literal 0.15}} and {{ literal 1e-5 }}", record) == "0.15 and 1e-5"


def test_a_whole_number_is_printed_whole_and_a_truth_in_words(record: Record) -> None:
    graph = record.graphs[0]
    last = record.examples[-1]

    def with_(value: Tensor) -> Record:
        i = graph.ids["loss"]
        tensors = (*last.tensors[:i], value, *last.tensors[i + 1 :])
        return replace(record, examples=(replace(last, tensors=tensors),))

    assert filled("{{loss}}", with_(Tensor.of(16777217))) == "16777217"
    assert filled("{{loss}}", with_(Tensor.of(True))) == "true"
    assert filled("{{loss}}", with_(Tensor.of(float("-inf")))) == "−∞"


def test_a_name_with_an_index_in_it_is_a_name_first(record: Record) -> None:
    graph = record.graphs[0]
    values = tuple(replace(v, name="states[0]") if v.name == "probs" else v for v in graph.values)
    record = replace(record, graphs=(replace(graph, values=values),))
    assert filled("{{states[0][1]}}", record) == f"{record.array('step-400', 'states[0]')[1]:.4g}"
    with pytest.raises(LessonError, match=r"\{\{states\[0\]\}\} names no cell of a value of shape \[4\]"):
        filled("{{states[0]}}", record)


@pytest.mark.parametrize("digits", ["0", "18", "999999"])
def test_digits_beyond_sense_are_refused(record: Record, digits: str) -> None:
    with pytest.raises(LessonError, match=f"asks for {digits} digits; ask for 1 to 17"):
        filled(f"{{{{loss|{digits}}}}}", record)


@given(st.text(alphabet="{}[]|:.,-0123456789 abloss", max_size=20))
def test_whatever_stands_between_braces_is_filled_or_refused(inner: str) -> None:
    text = f"{{{{{inner}}}}}"
    try:
        fill(text, RECORD, "step-0")
    except LessonError:
        return
    assert inner.strip()


RECORD = bundle.read(shipped_bundle("xor")).record


@given(st.lists(st.sampled_from(XOR.split("\n")), max_size=30))
def test_whatever_the_lines_a_lesson_is_read_or_refused(lines: list[str]) -> None:
    """The XOR lesson with some of its lines taken out."""
    gone = set(lines)
    text = "\n".join(line for line in XOR.split("\n") if line == "+++" or line not in gone)
    try:
        lesson = parse(text)
        check_references(lesson, RECORD)
        check_drawable(RECORD, lesson)
    except LessonError:
        return
    assert isinstance(lesson, Lesson)


@given(st.integers(0, 2**32))
def test_whatever_type_a_key_has_a_lesson_is_read_or_refused(seed: int) -> None:
    """The XOR lesson with one key given another value."""
    dice = random.Random(seed)
    keys = [i for i, line in enumerate(XOR.split("\n")) if re.match(r"\w+ = ", line)]
    lines = XOR.split("\n")
    place = dice.choice(keys)
    junk = dice.choice(
        ["1", "-1", "true", '""', '"x"', "[]", "[[]]", "{}", '["x"]', "[1]", "[{}]", "2026-01-01", "nan"]
    )
    lines[place] = f"{lines[place].split(' = ')[0]} = {junk}"
    try:
        lesson = parse("\n".join(lines))
        check_references(lesson, RECORD)
        check_drawable(RECORD, lesson)
    except LessonError:
        return
    assert isinstance(lesson, Lesson)


def test_cells_are_numbers_and_colons() -> None:
    assert parse_cells("[2,:]") == (2, None)
    assert parse_cells("[ 0 , 1 , : ]") == (0, 1, None)
    for wrong in ("2", "[-1]", "[a]", "[]", "[1:2]", "[1,]", "[1][2]", "[٣]"):
        refused(lambda wrong=wrong: parse_cells(wrong), "is not of the form [2,:]; use whole numbers and colons")


@pytest.mark.parametrize(
    "target", ["//evil", "javascript:alert`1`", "data:text/html,x", "notes.html", "file:///etc/passwd"]
)
def test_a_link_in_prose_leads_to_http_https_or_a_place_on_the_page(target: str) -> None:
    for link in (f"[words]({target})", f"[words][one]\n\n[one]: {target}"):
        refused(lambda link=link: parse(changed("The network has", f"{link} The network has")), f"the link {target!r}")
    parse(changed("The network has", "[words](https://example.org/a) [place](#checks) The network has"))
