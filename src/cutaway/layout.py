"""A recorded graph, some scopes open and the others closed, as boxes and paths.

Each open scope is a group, laid out by itself (cutaway.layered) before the group around it: a line that leaves a group
ends at a point on its border, and the group around continues from there. The twin is web/src/layout.ts.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from cutaway.folding import Box, Folding, Join, find_joins
from cutaway.labels import small_width, title_width
from cutaway.layered import FIRST_ROW, FREE, LAST_ROW, Link, Node, Placement, place
from cutaway.recorded import Graph

_MARGIN = 14  # pixels left and right of a box's text
_LEAST_WIDTH, _TALL, _FLAT = 56, 42, 30
_HEADER, _FOOTER = 30, 0  # height of a group's first row (its title and the lines entering) and last row
Point = tuple[int, int]


@dataclass(frozen=True)
class Edge:
    """One visible piece of line, inside one group (None: top level).

    It starts at box `source`, or at the border of the group when `source` lies outside or deeper; `source` and
    `target` are the boxes without visible contents at the two ends of the whole line, `targets` all that it leads to.
    Values are ids; `tie` marks a shared parameter; `backward` a line against the order of rows.
    """

    source: int
    targets: tuple[int, ...]
    group: int | None
    values: tuple[int, ...]
    tie: bool
    backward: bool
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Layout:
    width: int
    height: int
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    joins: tuple[Join, ...]


@dataclass
class _Piece:
    """A line between two children of one group, or from a child to the border; -1 stands for the border."""

    source: int
    target: int
    key: int  # box at the start of the whole line; -1 - box for a tie
    targets: dict[int, None]  # in order, each once
    values: dict[int, None]


def arrange(graph: Graph, opened: Collection[str]) -> Layout:
    """Boxes and paths of a graph with the scopes named in `opened` unfolded; the whole model is always open.

    A scope inside a closed one is not drawn, whether named or not.
    """
    view = Folding(graph, opened)
    joins, outputs = find_joins(view)
    boxes = view.boxes + outputs
    pieces = _split(boxes, joins)
    sizes = [_size(box) for box in boxes]
    children: dict[int, list[int]] = {-1: []}
    for i, box in enumerate(boxes):
        children.setdefault(-1 if box.parent is None else box.parent, []).append(i)
    ports: dict[int, _Ports] = {}
    groups: dict[int, _Group] = {}
    for i in [*(i for i in reversed(range(len(boxes))) if boxes[i].open), -1]:
        group = _Group(children.get(i, []), pieces.get(i, []))
        nodes, links, border = group.assemble(None if i < 0 else boxes[i].title, sizes, ports)
        group.placement = placement = place(nodes, links)
        groups[i] = group
        if i >= 0:
            sizes[i] = (placement.width, placement.height)
            ports[i] = _Ports(
                {key: placement.lefts[node] for (key, enters), node in border.items() if enters},
                {key: placement.lefts[node] for (key, enters), node in border.items() if not enters},
            )
    return _collect(boxes, joins, groups, sizes)


def _size(box: Box) -> tuple[int, int]:
    width = max(title_width(box.title), small_width(box.line)) + 2 * _MARGIN
    width = max(_LEAST_WIDTH, width)
    return width + width % 2, _TALL if box.line else _FLAT


def _split(boxes: list[Box], joins: list[Join]) -> dict[int, list[_Piece]]:
    """Cuts every join at the borders of the groups that it passes; pieces by group, -1 for the top level."""
    pieces: dict[int, dict[tuple[int, int, int], _Piece]] = {}

    def add(group: int, source: int, target: int, key: int, join: Join) -> None:
        piece = pieces.setdefault(group, {}).setdefault((source, target, key), _Piece(source, target, key, {}, {}))
        piece.targets[join.target] = None
        piece.values.update(dict.fromkeys(join.values))

    depth: list[int] = []
    for box in boxes:
        depth.append(0 if box.parent is None else depth[box.parent] + 1)
    for join in joins:
        key = -1 - join.source if join.tie else join.source
        a, b = join.source, join.target
        entering: list[tuple[int, int]] = []
        while (up := boxes[a].parent) != (down := boxes[b].parent):
            if up is not None and (down is None or depth[a] >= depth[b]):
                add(up, a, -1, key, join)
                a = up
            elif down is not None:
                entering.append((down, b))
                b = down
        add(-1 if up is None else up, a, b, key, join)
        for inside, child in reversed(entering):
            add(inside, -1, child, key, join)
    return {group: list(found.values()) for group, found in pieces.items()}


@dataclass(frozen=True)
class _Ports:
    """Where lines of each key enter and leave a group, in pixels from its left."""

    entries: dict[int, int]
    exits: dict[int, int]


@dataclass
class _Group:
    """An open scope: its boxes, its pieces of line, and where they stand once placed."""

    children: list[int]
    pieces: list[_Piece]
    placement: Placement = field(default_factory=lambda: place([], []))
    first: int = 0  # node of the first child

    def assemble(
        self, title: str | None, sizes: list[tuple[int, int]], ports: dict[int, _Ports]
    ) -> tuple[list[Node], list[Link], dict[tuple[int, bool], int]]:
        """The nodes and links of cutaway.layered; where the points on the border (key, enters) stand among them."""
        nodes: list[Node] = []
        border: dict[tuple[int, bool], int] = {}
        at: dict[int, int] = {}
        if title is not None:
            width = title_width(title)
            nodes.append(Node(width + width % 2, _HEADER, FIRST_ROW, anchor=True))
        for key in sorted({piece.key for piece in self.pieces if piece.source < 0}):
            border[(key, True)] = len(nodes)
            nodes.append(Node(0, _HEADER, FIRST_ROW))
        self.first = len(nodes)
        for child in self.children:
            at[child] = len(nodes)
            inner = ports.get(child)
            entries, exits = (inner.entries, inner.exits) if inner else (None, None)
            nodes.append(Node(sizes[child][0], sizes[child][1], FREE, entries, exits))
        for key in sorted({piece.key for piece in self.pieces if piece.target < 0}):
            border[(key, False)] = len(nodes)
            nodes.append(Node(0, _FOOTER, LAST_ROW))
        links = [
            Link(
                border[(piece.key, True)] if piece.source < 0 else at[piece.source],
                border[(piece.key, False)] if piece.target < 0 else at[piece.target],
                piece.key,
            )
            for piece in self.pieces
        ]
        return nodes, links, border


def _collect(boxes: list[Box], joins: list[Join], groups: dict[int, _Group], sizes: list[tuple[int, int]]) -> Layout:
    """Moves every group to where it stands in the picture."""
    origin: dict[int, Point] = {-1: (0, 0)}
    done: list[Box] = list(boxes)
    edges: list[Edge] = []
    for i in [-1, *(i for i in range(len(boxes)) if boxes[i].open)]:
        group, (x, y) = groups[i], origin[i]
        placement = group.placement
        for node, child in enumerate(group.children, group.first):
            left, top = x + placement.lefts[node], y + placement.tops[node]
            origin[child] = (left, top)
            width, height = sizes[child]
            done[child] = replace(boxes[child], x=left, y=top, width=width, height=height)
        for piece, path, backward in zip(group.pieces, placement.paths, placement.backward, strict=True):
            tie = piece.key < 0
            points = tuple((x + px, y + py) for px, py in path)
            source = -1 - piece.key if tie else piece.key
            inside = None if i < 0 else i
            edges.append(Edge(source, tuple(piece.targets), inside, tuple(piece.values), tie, backward, points))
    root = groups[-1].placement
    return Layout(root.width, root.height, tuple(done), tuple(edges), tuple(joins))
