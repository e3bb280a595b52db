"""Boxes and lines of one group, and the rows they stand in."""

from dataclasses import dataclass, field

FREE, FIRST_ROW, LAST_ROW = 0, 1, 2


@dataclass
class Node:
    """A box to place, or a point on the group's border (width 0, pinned to the first or last row).

    Width is even. `entries` and `exits` are where lines of a key meet the border, in pixels from the left; a leaf box
    has none and spreads its lines itself. The `anchor` stands left of all others: a group's title.
    """

    width: int
    height: int
    pin: int = FREE
    entries: dict[int, int] | None = None
    exits: dict[int, int] | None = None
    anchor: bool = False


@dataclass(frozen=True)
class Link:
    """A line from node to node (positions in the list). Lines of one source and key share their trunk."""

    source: int
    target: int
    key: int


# other item, position on it, position here, weight of the line between
Neighbour = tuple[int, float, float, int]


@dataclass
class Rows:
    """Nodes and dummies in rows. Items below len(nodes) are nodes; the others are dummies, one a row that a line
    passes."""

    nodes: list[Node]
    links: list[Link]
    rank: list[int]
    chains: list[list[int]] = field(default_factory=list)  # per link: source, dummies, target
    rows: list[list[int]] = field(default_factory=list)
    above: list[list[Neighbour]] = field(default_factory=list)  # per item, its neighbours in the row above
    below: list[list[Neighbour]] = field(default_factory=list)
    joined: set[tuple[int, int, int]] = field(default_factory=set)

    def is_anchor(self, item: int) -> bool:
        return item < len(self.nodes) and self.nodes[item].anchor

    def width(self, item: int) -> int:
        return self.nodes[item].width if item < len(self.nodes) else 0

    def slots(self) -> list[int]:
        """Each item's position in its row."""
        slots = [0] * len(self.rank)
        for row in self.rows:
            for slot, item in enumerate(row):
                slots[item] = slot
        return slots


def make_rows(nodes: list[Node], links: list[Link]) -> Rows:
    """Rows by longest path, in their first order. Every link runs from an earlier node to a later one."""
    rows = Rows(nodes, links, _rank(nodes, links))
    _lay_chains(rows)
    return rows


def _rank(nodes: list[Node], links: list[Link]) -> list[int]:
    """Row of each node: as early as its sources allow; one without sources stands right above its first reader."""
    into: list[list[int]] = [[] for _ in nodes]
    out: list[list[int]] = [[] for _ in nodes]
    for link in links:
        into[link.target].append(link.source)
        out[link.source].append(link.target)
    first = 1 if any(node.pin == FIRST_ROW for node in nodes) else 0
    rank = [0] * len(nodes)
    last = first
    for i, node in enumerate(nodes):
        if node.pin == FIRST_ROW:
            continue
        rank[i] = first
        for source in into[i]:
            rank[i] = max(rank[i], rank[source] + 1)
        if node.pin == FREE:
            last = max(last, rank[i])
    for i, node in enumerate(nodes):
        if node.pin == LAST_ROW:
            rank[i] = last + 1
    for i in reversed(range(len(nodes))):
        if nodes[i].pin == FREE and out[i] and not into[i]:
            rank[i] = min(rank[target] for target in out[i]) - 1
    return rank


def _lay_chains(rows: Rows) -> None:
    """Dummies for lines that pass rows; first order of the rows."""
    count = len(rows.nodes)
    owner = list(range(count))
    trunks: dict[tuple[int, int], list[int]] = {}
    rank = rows.rank
    for link in rows.links:
        trunk = trunks.setdefault((link.source, link.key), [])
        needed = rank[link.target] - rank[link.source] - 1
        while len(trunk) < needed:
            trunk.append(len(owner))
            owner.append(link.source)
            rank.append(rank[link.source] + len(trunk))
        rows.chains.append([link.source, *trunk[:needed], link.target])
    height = max(rank, default=-1) + 1
    rows.rows = [[] for _ in range(height)]
    for item in sorted(range(len(owner)), key=lambda item: owner[item]):
        rows.rows[rank[item]].append(item)
    for row in rows.rows:
        row.sort(key=lambda item: 0 if rows.is_anchor(item) else 1)
