"""Where lines meet boxes, and who stands beside whom in the rows."""

from dataclasses import dataclass

from cutaway.layered.rows import Rows

_STEP = 22  # pixels between two lines that arrive at one box


@dataclass
class Ports:
    """Pixels from a node's left: where each link arrives (one a link), and where (node, key) leaves."""

    arrivals: list[int]
    exits: dict[tuple[int, int], int]


def find_ports(rows: Rows) -> Ports:
    """Ports of the ordered rows. A group has its own; a box spreads its arrivals in the order of the row above."""
    slots = rows.slots()
    ports = Ports([0] * len(rows.links), {})
    arriving: list[list[tuple[float, int]]] = [[] for _ in rows.nodes]
    for number, link in enumerate(rows.links):
        source, target = rows.nodes[link.source], rows.nodes[link.target]
        if (link.source, link.key) not in ports.exits:
            # a box's results leave in the middle; what is no result (a tie, a line upwards) leaves beside it
            middle = source.width // 2 if link.key >= 0 else source.width * 3 // 4
            port = middle if source.exits is None else source.exits.get(link.key, middle)
            ports.exits[(link.source, link.key)] = port
        if target.entries is not None:
            ports.arrivals[number] = target.entries.get(link.key, target.width // 2)
        else:
            before = rows.chains[number][-2]
            share = ports.exits[(before, link.key)] / (source.width or 1) if before == link.source else 0.5
            arriving[link.target].append((slots[before] + share, number))
    for node, lines in zip(rows.nodes, arriving, strict=True):
        lines.sort(key=lambda line: line[0])
        step = min(_STEP, node.width // (len(lines) + 1))
        for i, (_, number) in enumerate(lines):
            ports.arrivals[number] = (node.width + (2 * i - len(lines) + 1) * step) // 2
    return ports


def join_by_shares(rows: Rows) -> None:
    """Fills the neighbours of every item before ports are known: positions are fractions of a box's width."""

    def share(ports: dict[int, int] | None, key: int, width: int) -> float:
        port = None if ports is None else ports.get(key)
        return 0.5 if port is None or width == 0 else port / width

    for number, chain in _begin(rows):
        key = rows.links[number].key
        source, target = rows.nodes[chain[0]], rows.nodes[chain[-1]]
        _join(rows, number, share(source.exits, key, source.width), share(target.entries, key, target.width), 0.5)


def join_by_pixels(rows: Rows, ports: Ports) -> None:
    """Fills the neighbours again: positions are pixels from an item's centre."""
    for number, chain in _begin(rows):
        source, target = rows.nodes[chain[0]], rows.nodes[chain[-1]]
        leave = ports.exits[(chain[0], rows.links[number].key)] - source.width // 2
        _join(rows, number, leave, ports.arrivals[number] - target.width // 2, 0)


def _begin(rows: Rows) -> list[tuple[int, list[int]]]:
    rows.above = [[] for _ in rows.rank]
    rows.below = [[] for _ in rows.rank]
    rows.joined = set()
    return list(enumerate(rows.chains))


def _join(rows: Rows, number: int, leave: float, enter: float, between: float) -> None:
    """Makes the items along one link's chain neighbours; what lines share of a trunk is joined once."""
    chain, key = rows.chains[number], rows.links[number].key
    for i in range(len(chain) - 1):
        a, b = chain[i], chain[i + 1]
        if (a, b, key) in rows.joined:
            continue
        rows.joined.add((a, b, key))
        here = leave if i == 0 else between
        there = enter if i == len(chain) - 2 else between
        passing = (1 if i > 0 else 0) + (1 if i < len(chain) - 2 else 0)
        weight = (1, 2, 8)[passing]  # Gansner et al. 1993, section 4.2: long lines are kept straight first
        rows.below[a].append((b, there, here, weight))
        rows.above[b].append((a, here, there, weight))
