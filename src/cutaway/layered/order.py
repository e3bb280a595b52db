"""Order within rows, so that few lines cross."""

from cutaway.layered.ports import join_by_shares
from cutaway.layered.rows import Neighbour, Rows

_SWEEPS = 12


def order_rows(rows: Rows) -> None:
    """Barycentre sweeps, down and up in turn; the order with the fewest crossings is kept."""
    join_by_shares(rows)
    best, fewest = [list(row) for row in rows.rows], _crossings(rows)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        slots = rows.slots()
        for row in rows.rows if down else reversed(rows.rows):
            _sort_row(rows, row, slots, rows.above if down else rows.below)
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows.rows], crossings
    rows.rows = best


def _sort_row(rows: Rows, row: list[int], slots: list[int], beside: list[list[Neighbour]]) -> None:
    """Sorts one row by the mean slot of its neighbours; an item without any stays behind its left one."""
    keys: dict[int, float] = {}
    last = -1.0
    for item in row:
        if rows.is_anchor(item):
            keys[item] = -1.0
            continue
        total, weight = 0.0, 0
        for other, there, _, _ in beside[item]:
            total += slots[other] + there
            weight += 1
        last = total / weight if weight else last
        keys[item] = last
    row.sort(key=lambda item: keys[item])
    for slot, item in enumerate(row):
        slots[item] = slot


def _crossings(rows: Rows) -> int:
    """Number of crossing pairs of lines between neighbouring rows, by counting inversions in a Fenwick tree."""
    slots = rows.slots()
    total = 0
    for row in rows.rows:
        ends: list[list[float]] = []
        for item in row:
            for other, there, here, _ in rows.below[item]:
                ends.append([slots[item] + here, slots[other] + there])
        ends.sort(key=lambda end: end[0])
        ends.sort(key=lambda end: end[1])
        places = [(end[0], place + 1) for place, end in enumerate(ends)]
        places.sort(key=lambda place: place[0])
        tree = [0] * (len(ends) + 1)
        for seen, (_, index) in enumerate(places):
            before, i = 0, index
            while i > 0:
                before += tree[i]
                i -= i & -i
            total += seen - before
            while index <= len(ends):
                tree[index] += 1
                index += index & -index
    return total
