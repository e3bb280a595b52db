"""A laid out graph as SVG, and a graph as DOT or Mermaid. Names from a model are text in all three.

The SVG carries classes and presentation attributes only, so a page's style sheet may colour it anew, its policy need
not allow style attributes, and the file alone still looks right. The twin is web/src/picture.ts.
"""

from collections.abc import Iterator

from cutaway.folding import Box, in_order
from cutaway.labels import op_title, output_names, reveal, scope_title
from cutaway.layout import Edge, Layout, Point
from cutaway.recorded import Graph

_RADIUS = {"scope": 8, "op": 8, "input": 15, "output": 15}


def svg(graph: Graph, layout: Layout, title: str) -> str:
    """The picture as one SVG element, usable as a file or inside a page."""
    groups = [box for box in layout.boxes if box.open]
    leaves = [box for box in layout.boxes if not box.open]
    counts = f"{len(graph.ops)} operations in {len(graph.scopes)} scopes, {len(leaves)} boxes shown"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" viewBox="0 0 {layout.width} {layout.height}"'
        f' width="{layout.width}" height="{layout.height}" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(counts)}. Data flows from top to bottom; a dashed line is a shared parameter.</desc>",
        '<g class="groups" fill="#f1f6f4" stroke="#d5dedb">',
        *(_box(box) for box in groups),
        "</g>",
        '<g class="edges" fill="none" stroke="#9aaba6" stroke-width="1.25" aria-hidden="true">',
        *(_edge(edges) for edges in strands(layout.edges)),
        "</g>",
        '<g class="boxes" fill="#ffffff" stroke="#bccac5">',
        *(_box(box) for box in leaves),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _box(box: Box) -> str:
    middle = box.x + box.width // 2
    classes = f"box {box.kind}{' open' if box.open else ''}"
    round_by = 12 if box.open else _RADIUS[box.kind]
    rect = f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="{round_by}"'
    head = f'<g class="{classes}" data-name="{escape(box_name(box))}">{rect}/>'
    text = '<text fill="#17201d" stroke="none"'
    if box.open:
        return f'{head}{text} class="name" x="{box.x + 14}" y="{box.y + 20}">{escape(box.title)}</text></g>'
    y = box.y + (box.height // 2 - 3 if box.line else box.height // 2 + 4)
    name = f'{text} class="name" x="{middle}" y="{y}" text-anchor="middle">{escape(box.title)}</text>'
    if not box.line:
        return f"{head}{name}</g>"
    line = (
        f'<text class="line" x="{middle}" y="{y + 15}" text-anchor="middle" fill="#5a6a65" stroke="none"'
        f' font-family="ui-monospace, monospace" font-size="11">{escape(box.line)}</text>'
    )
    return f"{head}{name}{line}</g>"


def box_name(box: Box) -> str:
    """A box's kind and name in one word, unique in a picture: scope:encoder, op:12, input:labels, output:7."""
    return f"{box.kind}:{box.select if box.kind in ('scope', 'input') else box.ref}"


def strands(edges: tuple[Edge, ...]) -> list[list[Edge]]:
    """Pieces of line to draw as one path each, so that the trunk they share is not drawn twice."""
    found: dict[tuple[object, ...], list[Edge]] = {}
    for edge in edges:
        found.setdefault((edge.group, edge.source, edge.tie, edge.backward, edge.values), []).append(edge)
    return list(found.values())


def _edge(edges: list[Edge]) -> str:
    edge = edges[0]
    classes = "edge" + (" tie" if edge.tie else "") + (" backward" if edge.backward else "")
    look = ' stroke="#89340b" stroke-dasharray="4 4"' if edge.tie else ""
    return f'<path class="{classes}" d="{"".join(path(each.points) for each in edges)}"{look}/>'


def path(points: tuple[Point, ...]) -> str:
    """Corner points as an SVG path: straight where they share a column, an S-curve where they do not."""
    x, y = points[0]
    text = f"M{x} {y}"
    for next_x, next_y in points[1:]:
        if next_x == x:
            text += f"V{next_y}"
        else:
            middle = _half(y + next_y)
            text += f"C{x} {middle} {next_x} {middle} {next_x} {next_y}"
        x, y = next_x, next_y
    return text


def _half(number: int) -> str:
    return f"{number // 2}.5" if number % 2 else f"{number // 2}"


def escape(text: str) -> str:
    """Text for SVG, hidden characters revealed."""
    text = reveal(text)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(character, entity)
    return text


def dot(graph: Graph) -> str:
    """The whole graph, every scope a cluster, in Graphviz's DOT language."""
    lines = ["digraph model {", "  node [shape=box, style=rounded];"]
    for pad, kind, ref, text in _outline(graph):
        if kind == "scope":
            lines.append(f"{pad}subgraph cluster_{ref} {{ label={_dot_text(text)};")
        elif kind == "op":
            lines.append(f"{pad}op{ref} [label={_dot_text(text)}];")
        elif kind == "end":
            lines.append(f"{pad}}}")
        else:
            lines.append(f"{pad}{kind}{ref} [label={_dot_text(text)}, shape=ellipse];")
    lines += [f"  {source} -> {target};" for source, target in _arrows(graph)]
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(graph: Graph) -> str:
    """The whole graph, every scope a subgraph, as a Mermaid flowchart."""
    lines = ["flowchart TB"]
    for pad, kind, ref, text in _outline(graph):
        if kind == "scope":
            lines.append(f'{pad}subgraph scope{ref}["{_mermaid_text(text)}"]')
        elif kind == "op":
            lines.append(f'{pad}op{ref}["{_mermaid_text(text)}"]')
        elif kind == "end":
            lines.append(f"{pad}end")
        else:
            lines.append(f'{pad}{kind}{ref}(["{_mermaid_text(text)}"])')
    lines += [f"  {source} --> {target}" for source, target in _arrows(graph)]
    return "\n".join(lines) + "\n"


def _outline(graph: Graph) -> Iterator[tuple[str, str, int, str]]:
    """The graph in nested order as (indent, kind, id, text): scope ... end around its contents, op, value, output."""
    for i, value in enumerate(graph.values):
        if value.kind == "input":
            yield "  ", "value", i, value.name
    depth: list[int] = []
    for scope in graph.scopes:
        depth.append(1 if scope.parent is None else depth[scope.parent] + 1)
    inside: list[list[tuple[str, int]]] = [[] for _ in graph.scopes]
    for kind, ref in in_order(graph):
        parent = graph.scopes[ref].parent if kind == "scope" else graph.ops[ref].scope
        if parent is not None:
            inside[parent].append((kind, ref))
    pending = [("scope", i) for i, scope in enumerate(graph.scopes) if scope.parent is None]
    while pending:
        kind, ref = pending.pop()
        if kind == "op":
            yield "  " * (depth[graph.ops[ref].scope] + 1), kind, ref, op_title(graph, ref)
        elif kind == "end":
            yield "  " * depth[ref], kind, ref, ""
        else:
            yield "  " * depth[ref], kind, ref, scope_title(graph, ref)
            pending += [("end", ref), *reversed(inside[ref])]
    for i, (name, _) in enumerate(output_names(graph)):
        yield "  ", "output", i, name


def _arrows(graph: Graph) -> list[tuple[str, str]]:
    """Which op or input feeds which op or output, each pair once."""

    def origin(value: int) -> str | None:
        there = graph.values[value]
        return f"value{value}" if there.kind == "input" else None if there.op is None else f"op{there.op}"

    pairs = [(origin(value), f"op{i}") for i, op in enumerate(graph.ops) for value in op.reads]
    pairs += [(origin(value), f"output{i}") for i, (_, value) in enumerate(output_names(graph))]
    return list(dict.fromkeys((source, target) for source, target in pairs if source is not None))


def _dot_text(text: str) -> str:
    """A DOT string: quotes and backslashes escaped, and the ampersand, which would begin an entity."""
    return '"' + reveal(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") + '"'


def _mermaid_text(text: str) -> str:
    """The inside of a quoted Mermaid label: every sign that could mean something as its decimal entity."""
    return "".join(f"#{ord(c)};" if ord(c) < 128 and not c.isalnum() and c not in " _.-" else c for c in reveal(text))
