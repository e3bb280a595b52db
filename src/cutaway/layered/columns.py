"""Where the boxes of each row stand: lines as straight as the boxes beside them allow."""

from math import floor

from cutaway.layered.ports import Ports, join_by_pixels
from cutaway.layered.rows import Rows

PADDING = 14  # pixels between a group's border and what is in it
_SWEEPS = 24
_BOX_GAP, _LINE_GAP = 24, 14
_SNAP, _FAR = 10, 1_000_000_000


def find_columns(rows: Rows, ports: Ports) -> list[int]:
    """Horizontal centre of each item: sweeps that pull every row to its neighbours, boxes kept apart."""
    join_by_pixels(rows, ports)
    centres = [0] * len(rows.rank)
    for row in rows.rows:
        x = 0
        for i, item in enumerate(row):
            x += _apart(rows, row[i - 1], item) if i else 0
            centres[item] = x
    for sweep in range(_SWEEPS):
        both = sweep >= _SWEEPS // 2
        down = sweep % 2 == 0
        for row in rows.rows if down else reversed(rows.rows):
            _pull(rows, row, centres, both or down, both or not down)
    _straighten_chains(rows, centres)
    _straighten_trunks(rows, centres)
    return centres


def _straighten_chains(rows: Rows, centres: list[int]) -> None:
    """Moves a box right under its only source, or over its only reader, where that is near and the row leaves room."""
    for down in (True, False):
        for row in rows.rows if down else reversed(rows.rows):
            for i, item in enumerate(row):
                beside = rows.above[item] if down else rows.below[item]
                if len(beside) != 1 or (not down and rows.above[item]):
                    continue
                other, there, here, _ = beside[0]
                want = floor(centres[other] + there - here)
                alone = len(rows.below[other] if down else rows.above[other]) == 1
                low, high = _room(rows, row, i, centres)
                if (alone or abs(want - centres[item]) <= _SNAP) and low <= want <= high:
                    centres[item] = want


def _straighten_trunks(rows: Rows, centres: list[int]) -> None:
    """Gives the dummies of each line one column as far as the rows leave room, starting below the line's source."""
    slots = rows.slots()
    done: set[int] = set()
    for chain in rows.chains:
        run: list[int] = []
        low, high = -_FAR, _FAR
        for item in [*(item for item in chain[1:-1] if item not in done), -1]:
            if item >= 0:
                left, right = _room(rows, rows.rows[rows.rank[item]], slots[item], centres)
                if max(low, left) <= min(high, right):
                    low, high = max(low, left), min(high, right)
                    run.append(item)
                    continue
            if run:
                other, there, here, _ = rows.above[run[0]][0]
                want = floor(centres[other] + there - here)
                for each in run:
                    centres[each] = max(low, min(high, want))
            if item >= 0:
                run, low, high = [item], left, right
        done.update(chain[1:-1])


def _room(rows: Rows, row: list[int], slot: int, centres: list[int]) -> tuple[int, int]:
    """Least and greatest centre that an item may take between its neighbours of the row."""
    low, high = -_FAR, _FAR
    if slot > 0:
        low = centres[row[slot - 1]] + _apart(rows, row[slot - 1], row[slot])
    if slot + 1 < len(row):
        high = centres[row[slot + 1]] - _apart(rows, row[slot], row[slot + 1])
    return low, high


def _apart(rows: Rows, left: int, right: int) -> int:
    """Least distance between the centres of two neighbours of a row."""
    boxes = (1 if rows.width(left) else 0) + (1 if rows.width(right) else 0)
    gap = _BOX_GAP if boxes == 2 else _LINE_GAP + 4 * boxes
    return (rows.width(left) + rows.width(right)) // 2 + gap


def _pull(rows: Rows, row: list[int], centres: list[int], up: bool, down: bool) -> None:
    """Moves one row to the weighted least-squares positions under its separations (pool adjacent violators)."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, number of items
    shifts: list[int] = []
    shift = 0
    for i, item in enumerate(row):
        shift += _apart(rows, row[i - 1], item) if i else 0
        shifts.append(shift)
        total, weight = 0.0, 0.0
        for active, beside in ((up, rows.above[item]), (down, rows.below[item])):
            for other, there, here, pull in beside if active else ():
                total += (centres[other] + there - here) * pull
                weight += pull
        mean, weight = (total / weight, weight) if weight else (float(centres[item]), 0.0625)
        mean, size = mean - shift, 1
        while blocks and blocks[-1][0] > mean:
            before, heavy, many = blocks.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight += heavy
            size += many
        blocks.append((mean, weight, size))
    i = 0
    for mean, _, size in blocks:
        at = floor(mean + 0.5)
        for _ in range(size):
            centres[row[i]] = at + shifts[i]
            i += 1


def pull_anchor(rows: Rows, centres: list[int]) -> int:
    """Moves the anchor to the left border, which it pushes out only as far as its right neighbour asks. The border."""
    anchor = next((item for row in rows.rows[:1] for item in row[:1] if rows.is_anchor(item)), None)
    left = min((centres[item] - rows.width(item) // 2 for item in range(len(centres)) if item != anchor), default=0)
    if anchor is None:
        return left
    half = rows.width(anchor) // 2
    row = rows.rows[0]
    if len(row) > 1:
        left = min(left, centres[row[1]] - _apart(rows, anchor, row[1]) - half)
    centres[anchor] = left + half
    return left
