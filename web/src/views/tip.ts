// The small window over a box or a line.

/** Shows lines of text in a window of the stage, near a place in the browser's window. */
export function showTip(stage: Element, tip: HTMLElement, lines: string[], x: number, y: number): void {
  const around = stage.getBoundingClientRect();
  tip.replaceChildren(
    ...lines.map((line) => {
      const element = document.createElement("span");
      element.textContent = line;
      return element;
    }),
  );
  tip.hidden = false;
  const right = around.width - tip.offsetWidth - 4;
  const bottom = around.height - tip.offsetHeight - 4;
  tip.style.left = `${Math.max(4, Math.min(right, x - around.left + 14))}px`;
  tip.style.top = `${Math.max(4, Math.min(bottom, y - around.top + 16))}px`;
}
