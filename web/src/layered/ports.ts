// Where lines meet boxes, and who stands beside whom in the rows. Twin of src/cutaway/layered/ports.py.

import { at } from "../recorded.ts";
import type { Rows } from "./rows.ts";

const STEP = 22; // pixels between two lines that arrive at one box

/** Pixels from a node's left: where each link arrives (one a link), and where (node, key) leaves. */
export class Ports {
  readonly exits = new Map<string, number>();
  constructor(readonly arrivals: number[]) {}

  exit(node: number, key: number): number {
    return this.exits.get(`${node} ${key}`) ?? 0;
  }
}

/** Ports of the ordered rows. A group has its own; a box spreads its arrivals in the order of the row above. */
export function findPorts(rows: Rows): Ports {
  const slots = rows.slots();
  const ports = new Ports(rows.links.map(() => 0));
  const arriving: [place: number, link: number][][] = rows.nodes.map(() => []);
  rows.links.forEach((link, number) => {
    const source = at(rows.nodes, link.source);
    const target = at(rows.nodes, link.target);
    const name = `${link.source} ${link.key}`;
    if (!ports.exits.has(name)) {
      // a box's results leave in the middle; what is no result (a tie, a line upwards) leaves beside it
      const middle = link.key >= 0 ? Math.floor(source.width / 2) : Math.floor((source.width * 3) / 4);
      ports.exits.set(name, source.exits?.get(link.key) ?? middle);
    }
    if (target.entries !== null) {
      ports.arrivals[number] = target.entries.get(link.key) ?? Math.floor(target.width / 2);
    } else {
      const before = at(at(rows.chains, number), at(rows.chains, number).length - 2);
      const share = before === link.source ? ports.exit(before, link.key) / (source.width || 1) : 0.5;
      at(arriving, link.target).push([at(slots, before) + share, number]);
    }
  });
  rows.nodes.forEach((node, i) => {
    const lines = at(arriving, i);
    lines.sort((a, b) => a[0] - b[0]);
    const step = Math.min(STEP, Math.floor(node.width / (lines.length + 1)));
    lines.forEach(([, number], k) => {
      ports.arrivals[number] = Math.floor((node.width + (2 * k - lines.length + 1) * step) / 2);
    });
  });
  return ports;
}

/** Fills the neighbours of every item before ports are known: positions are fractions of a box's width. */
export function joinByShares(rows: Rows): void {
  const share = (ports: Map<number, number> | null, key: number, width: number): number => {
    const port = ports?.get(key);
    return port === undefined || width === 0 ? 0.5 : port / width;
  };
  begin(rows);
  rows.links.forEach((link, number) => {
    const source = at(rows.nodes, link.source);
    const target = at(rows.nodes, link.target);
    const leave = share(source.exits, link.key, source.width);
    join(rows, number, leave, share(target.entries, link.key, target.width), 0.5);
  });
}

/** Fills the neighbours again: positions are pixels from an item's centre. */
export function joinByPixels(rows: Rows, ports: Ports): void {
  begin(rows);
  rows.links.forEach((link, number) => {
    const source = at(rows.nodes, link.source);
    const target = at(rows.nodes, link.target);
    const leave = ports.exit(link.source, link.key) - Math.floor(source.width / 2);
    join(rows, number, leave, at(ports.arrivals, number) - Math.floor(target.width / 2), 0);
  });
}

function begin(rows: Rows): void {
  rows.above = rows.rank.map(() => []);
  rows.below = rows.rank.map(() => []);
  rows.joined = new Set();
}

/** Makes the items along one link's chain neighbours; what lines share of a trunk is joined once. */
function join(rows: Rows, number: number, leave: number, enter: number, between: number): void {
  const chain = at(rows.chains, number);
  const key = at(rows.links, number).key;
  for (let i = 0; i < chain.length - 1; i++) {
    const a = at(chain, i);
    const b = at(chain, i + 1);
    const name = `${a} ${b} ${key}`;
    if (rows.joined.has(name)) continue;
    rows.joined.add(name);
    const here = i === 0 ? leave : between;
    const there = i === chain.length - 2 ? enter : between;
    const passing = (i > 0 ? 1 : 0) + (i < chain.length - 2 ? 1 : 0);
    const weight = at([1, 2, 8], passing); // Gansner et al. 1993, section 4.2: long lines are kept straight first
    at(rows.below, a).push([b, there, here, weight]);
    at(rows.above, b).push([a, here, there, weight]);
  }
}
