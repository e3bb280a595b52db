"""Heights of the rows, and the paths of the lines between them."""

from dataclasses import dataclass
from math import floor

from cutaway.layered.columns import PADDING, pull_anchor
from cutaway.layered.ports import Ports
from cutaway.layered.rows import FIRST_ROW, FREE, LAST_ROW, Rows

_ROW_GAP, _BORDER_GAP, _MOST_EXTRA_GAP, _SLOPE = 26, 12, 44, 10
Point = tuple[int, int]


@dataclass
class Placement:
    """Pixels from the group's top left corner; one path a link, in their order, as corner points from the source."""

    width: int
    height: int
    lefts: list[int]
    tops: list[int]
    paths: list[list[Point]]
    backward: list[bool]


def draw(rows: Rows, ports: Ports, centres: list[int], backward: list[bool]) -> Placement:
    """Everything in pixels. Lines run straight down past the boxes of a row and bend only between rows."""
    nodes, rank = rows.nodes, rows.rank
    left = pull_anchor(rows, centres)
    right = max((centres[item] + rows.width(item) // 2 for item in range(len(centres))), default=0)
    width = right - left + 2 * PADDING
    xs = [centre - left + PADDING for centre in centres]
    tops, ends = _heights(rows, xs)
    lefts = [xs[i] - node.width // 2 for i, node in enumerate(nodes)]
    box_tops = [tops[rank[i]] + (ends[rank[i]] - tops[rank[i]] - node.height) // 2 for i, node in enumerate(nodes)]
    paths: list[list[Point]] = []
    for number, (link, chain) in enumerate(zip(rows.links, rows.chains, strict=True)):
        leave = lefts[link.source] + ports.exits[(link.source, link.key)]
        top = rank[link.source]
        from_border = nodes[link.source].pin == FIRST_ROW
        points = [(leave, tops[top] if from_border else box_tops[link.source] + nodes[link.source].height)]
        points.append((leave, ends[top]))
        for item in chain[1:-1]:
            points += [(xs[item], tops[rank[item]]), (xs[item], ends[rank[item]])]
        arrive = lefts[link.target] + ports.arrivals[number]
        end = rank[link.target]
        points.append((arrive, tops[end]))
        points.append((arrive, ends[end] if nodes[link.target].pin == LAST_ROW else box_tops[link.target]))
        points = _straighten(points)
        paths.append(points[::-1] if backward[number] else points)
    bottom = ends[-1] if ends else 0
    if not any(node.pin == LAST_ROW for node in nodes):
        bottom += PADDING
    return Placement(width + width % 2, bottom, lefts, box_tops, paths, backward)


def _heights(rows: Rows, xs: list[int]) -> tuple[list[int], list[int]]:
    """Top and end of each row. Rows stand further apart where a line between them runs far sideways."""
    nodes = rows.nodes
    widest = [0] * len(rows.rows)
    for item, row in enumerate(rows.rank):
        for other, there, here, _ in rows.below[item]:
            widest[row] = max(widest[row], abs(floor(xs[other] + there - xs[item] - here)))
    tops: list[int] = []
    ends: list[int] = []
    pinned = [any(item < len(nodes) and nodes[item].pin != FREE for item in row) for row in rows.rows]
    y = 0 if pinned and pinned[0] else PADDING
    for row, items in enumerate(rows.rows):
        tops.append(y)
        ends.append(y + max((nodes[item].height for item in items if item < len(nodes)), default=0))
        border = pinned[row] or (row + 1 < len(rows.rows) and pinned[row + 1])
        extra = min(_MOST_EXTRA_GAP, widest[row] // _SLOPE)
        y = ends[row] + (_BORDER_GAP if border else _ROW_GAP) + extra
    return tops, ends


def _straighten(points: list[Point]) -> list[Point]:
    """The same path without repeated points and without points inside a straight run."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and kept[-1][0] == point[0] and kept[-2][0] == point[0]:
            kept.pop()
        kept.append(point)
    return kept
