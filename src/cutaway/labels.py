"""Words on the graph: what a box says, how wide the text is, and which characters must be made visible first.

The twin is web/src/labels.ts; tests/golden/layout.json proves that both say the same.
"""

from cutaway.recorded import Graph, Value, values_in

TITLE_LIMIT = 300  # pixels; a longer title ends in an ellipsis
_CLASSES = (  # widths in pixels at 13 px, rounded up over the common system fonts
    (4, "!'|,.:;ijlI "),
    (5, "()-/[\\]`·"),
    (6, '"frt{}*'),
    (7, "cksvxyzJL_?"),
    (10, "ADGHNOQU&+<=>^~#×"),
    (12, "MWmw%@→"),
    (13, "…"),
)
_WIDTHS = {character: width for width, characters in _CLASSES for character in characters}
_PLAIN_WIDTH, _FOREIGN_WIDTH = 8, 14
_SMALL_WIDTH, _SMALL_FOREIGN_WIDTH = 7, 12  # monospace at 11 px
# Characters that change how their neighbours are drawn, or are not drawn at all: controls, bidirectional marks and
# overrides, zero-width ones, and halves of surrogate pairs.
_HIDDEN = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF), (0xE0000, 0xE007F),
)  # fmt: skip


def reveal(text: str) -> str:
    """The text with every hidden or direction-changing character written out, as ⟨202E⟩."""
    return "".join(f"⟨{ord(c):04X}⟩" if _is_hidden(ord(c)) else c for c in text)


def _is_hidden(code: int) -> bool:
    return any(low <= code <= high for low, high in _HIDDEN)


def title_width(text: str) -> int:
    """Width in pixels of a title (13 px, proportional)."""
    width = 0
    for c in text:
        width += _WIDTHS.get(c, _PLAIN_WIDTH if ord(c) < 128 else _FOREIGN_WIDTH)
    return width


def small_width(text: str) -> int:
    """Width in pixels of a second line (11 px, monospace)."""
    width = 0
    for c in text:
        width += _SMALL_WIDTH if ord(c) < 128 or c in "×→·…" else _SMALL_FOREIGN_WIDTH
    return width


def fit(text: str) -> str:
    """The text, revealed, cut to TITLE_LIMIT pixels with an ellipsis where it is longer."""
    text = reveal(text)
    if title_width(text) <= TITLE_LIMIT:
        return text
    kept, width = "", title_width("…")
    for c in text:
        width += title_width(c)
        if width > TITLE_LIMIT:
            break
        kept += c
    return kept + "…"


def show_shape(shape: tuple[int, ...]) -> str:
    """A shape as people write it: 6 × 8; a scalar by that word."""
    return " × ".join(str(size) for size in shape) if shape else "scalar"


def short_function(function: str) -> str:
    """The last word of a torch function's name: torch.Tensor.__matmul__ -> matmul, torch.Tensor.T.__get__ -> T."""
    parts = function.split(".")
    if parts[-1] in ("__get__", "__set__") and len(parts) > 1:
        parts.pop()
    name = parts[-1]
    return name[2:-2] if name.startswith("__") and name.endswith("__") and len(name) > 4 else name


def local_name(name: str, owner: str) -> str:
    """A name as seen from inside its owner: encoder.attention.probs in encoder.attention -> probs."""
    return name[len(owner) + 1 :] if owner and name.startswith(owner + ".") else name


def scope_title(graph: Graph, scope: int) -> str:
    """query · Linear; the whole model by its class name alone."""
    here = graph.scopes[scope]
    if here.parent is None:
        return fit(here.class_name)
    name = local_name(here.name, graph.scopes[here.parent].name)
    return fit(f"{name} · {here.class_name}")


def scope_line(reads: list[Value], makes: list[Value]) -> str:
    """What goes into a closed scope and what comes out: 6 → 6 × 8, the first of each."""
    before = show_shape(reads[0].shape) if reads else ""
    after = show_shape(makes[0].shape) if makes else ""
    if before == after or not before or not after:
        return before or after
    return f"{before} → {after}"


def op_title(graph: Graph, op: int) -> str:
    """probs · softmax where the source gives the result a name, else softmax."""
    here = graph.ops[op]
    short = short_function(here.function)
    made = here.makes
    if not made:
        return fit(short)
    name = local_name(graph.values[made[0]].name, graph.scopes[here.scope].name)
    return fit(short if name.split("#")[0] in (short, "output", "") else f"{name} · {short}")


def op_line(graph: Graph, op: int) -> str:
    """The shape of the op's first result, and how many more there are."""
    made = graph.ops[op].makes
    if not made:
        return ""
    more = f" +{len(made) - 1}" if len(made) > 1 else ""
    return show_shape(graph.values[made[0]].shape) + more


def output_names(graph: Graph) -> list[tuple[str, int]]:
    """Each output of the model as (name, value id): loss, states[0], output for a single one."""
    found: list[tuple[str, int]] = []
    pending = [("", graph.outputs)]
    while pending:
        name, tree = pending.pop()
        if isinstance(tree, dict) and "value" in tree:
            found.append((name or "output", tree["value"]))
        elif isinstance(tree, dict) and ("dict" in tree or "fields" in tree):
            pairs = tree["dict"] if "dict" in tree else tree["fields"]
            pending += [(f"{name}.{_key(key)}" if name else _key(key), item) for key, item in reversed(pairs)]
        elif isinstance(tree, list) or (isinstance(tree, dict) and "tuple" in tree):
            items = tree if isinstance(tree, list) else tree["tuple"]
            pending += [(f"{name or 'output'}[{i}]", items[i]) for i in reversed(range(len(items)))]
        else:
            found += [(name or "output", value) for value in values_in(tree)]
    return found


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    return str(key) if isinstance(key, int) and not isinstance(key, bool) else "key"
