"""Place the boxes of one group in rows, so that edges run downwards and never through a box.

The layered method of Sugiyama, Tagawa and Toda (1981) in its usual four steps, one file each: rows by longest path,
order within rows by barycentres, columns by least squares under separation constraints, paths. Only + - x /, floor and
stable sorts on numbers: the twin, web/src/layered/, gives the same pixels, and tests/golden/layout.json proves it.
"""

from cutaway.layered.columns import find_columns
from cutaway.layered.order import order_rows
from cutaway.layered.paths import Placement, draw
from cutaway.layered.ports import find_ports
from cutaway.layered.rows import FIRST_ROW, FREE, LAST_ROW, Link, Node, make_rows

__all__ = ["FIRST_ROW", "FREE", "LAST_ROW", "Link", "Node", "Placement", "place"]
_UPWARD = -1_000_000_000


def place(nodes: list[Node], links: list[Link]) -> Placement:
    """Places nodes, given in the order they ran; a link against that order is drawn upwards (backward)."""
    backward = [link.source > link.target for link in links]
    forward: list[Link] = []
    for i, link in enumerate(links):
        # a key of its own keeps a line that runs upwards out of other lines' trunks
        forward.append(Link(link.target, link.source, _UPWARD - i) if backward[i] else link)
    rows = make_rows(nodes, forward)
    order_rows(rows)
    ports = find_ports(rows)
    columns = find_columns(rows, ports)
    return draw(rows, ports, columns, backward)
