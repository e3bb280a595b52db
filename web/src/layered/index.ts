// Place the boxes of one group in rows, so that edges run downwards and never through a box.
// Twin of src/cutaway/layered/, which names the method; tests/golden/layout.json proves that both give the same pixels.

import { findColumns } from "./columns.ts";
import { orderRows } from "./order.ts";
import { draw, type Placement } from "./paths.ts";
import { findPorts } from "./ports.ts";
import { makeRows, type Link, type Node } from "./rows.ts";

export type { Placement, Point } from "./paths.ts";
export { FIRST_ROW, FREE, LAST_ROW, type Link, type Node } from "./rows.ts";

const UPWARD = -1_000_000_000;

/** Places nodes, given in the order they ran; a link against that order is drawn upwards (backward). */
export function place(nodes: Node[], links: Link[]): Placement {
  const backward = links.map((link) => link.source > link.target);
  // a key of its own keeps a line that runs upwards out of other lines' trunks
  const forward = links.map((link, i) =>
    backward[i] ? { source: link.target, target: link.source, key: UPWARD - i } : link,
  );
  const rows = makeRows(nodes, forward);
  orderRows(rows);
  const ports = findPorts(rows);
  return draw(rows, ports, findColumns(rows, ports), backward);
}
