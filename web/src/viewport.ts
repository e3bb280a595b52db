// Which part of the picture is seen: pure arithmetic on rectangles, in the picture's pixels.

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Size {
  width: number;
  height: number;
}

const LEAST_SCALE = 0.05;
const MOST_SCALE = 3;
export const READABLE = 0.6; // below this scale names are hard to read
const OVERVIEW = 0.5; // down to this scale the whole picture, or its whole width, is worth more than larger names

/** Screen pixels a picture pixel takes. */
export function scaleOf(view: Rect, screen: Size): number {
  return screen.width / view.width;
}

/** The whole picture, centred, never larger than life; of an enormous one, as much as the least scale shows. */
export function fitAll(picture: Size, screen: Size): Rect {
  const whole = Math.min(1, screen.width / picture.width, screen.height / picture.height);
  const scale = Math.max(LEAST_SCALE, whole);
  return centred(picture.width / 2, picture.height / 2, scale, screen);
}

/** The whole picture where it makes an overview; else its top, as wide as it can be. */
export function fitReadable(picture: Size, screen: Size): Rect {
  const whole = fitAll(picture, screen);
  if (scaleOf(whole, screen) >= OVERVIEW) return whole;
  const across = Math.min(1, screen.width / picture.width);
  const scale = across >= OVERVIEW ? across : READABLE;
  const view = centred(picture.width / 2, 0, scale, screen);
  return { ...view, y: 0 };
}

/** The same place at another scale; the point of the picture at (x, y) stays where it is on the screen. */
export function zoomAt(view: Rect, screen: Size, factor: number, x: number, y: number): Rect {
  const before = scaleOf(view, screen);
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, before * factor));
  const ratio = before / scale;
  const width = view.width * ratio;
  const height = view.height * ratio;
  return { x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio, width, height };
}

/** A view that shows a box: unmoved where the box is already well inside, else centred on it at a readable scale. */
export function show(view: Rect, screen: Size, box: Rect): Rect {
  const margin = 0.04 * view.width;
  const seen =
    box.x >= view.x + margin &&
    box.y >= view.y + margin &&
    box.x + box.width <= view.x + view.width - margin &&
    box.y + box.height <= view.y + view.height - margin;
  const scale = scaleOf(view, screen);
  if (seen && scale >= READABLE) return view;
  const room = Math.min((0.9 * screen.width) / box.width, (0.9 * screen.height) / box.height);
  const wanted = Math.min(1, Math.max(READABLE, Math.min(scale < READABLE ? 1 : scale, room)));
  const next = centred(box.x + box.width / 2, box.y + box.height / 2, wanted, screen);
  // a box taller than the screen is shown from its title on
  return box.height * wanted > screen.height ? { ...next, y: box.y - 24 / wanted } : next;
}

/** The view on the way from one to another, part 0 to 1, slow at both ends. */
export function between(from: Rect, to: Rect, part: number): Rect {
  const eased = part * part * (3 - 2 * part);
  const mix = (a: number, b: number): number => a + (b - a) * eased;
  return {
    x: mix(from.x, to.x),
    y: mix(from.y, to.y),
    width: mix(from.width, to.width),
    height: mix(from.height, to.height),
  };
}

/** Whether two rectangles share a point, the second grown by a margin on each side. */
export function touches(a: Rect, b: Rect, margin: number): boolean {
  return (
    a.x <= b.x + b.width + margin &&
    a.x + a.width >= b.x - margin &&
    a.y <= b.y + b.height + margin &&
    a.y + a.height >= b.y - margin
  );
}

function centred(x: number, y: number, scale: number, screen: Size): Rect {
  const width = screen.width / scale;
  const height = screen.height / scale;
  return { x: x - width / 2, y: y - height / 2, width, height };
}
