// All digits on the way out: a click on a cell copies its exact value, and copied tables carry exact values, not the
// rounded ones that are shown.

/** Text to the clipboard; false where the browser allows neither way. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The older way, for pages that are no secure context. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "quiet";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

/** Tables of a selection as tab-separated lines with all digits. */
export function tabbed(part: ParentNode): string {
  const lines = [...part.querySelectorAll("tr")].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) => cell.getAttribute("title") ?? cell.textContent?.trim() ?? "").join("\t"),
  );
  return lines.join("\n");
}

export function startCopying(root: Document, announce: (words: string) => void): void {
  root.addEventListener("click", (event) => {
    const cell = (event.target as Element).closest<HTMLElement>(".grid td, .bars .number, .term b");
    if (!cell || !getSelection()?.isCollapsed) return;
    const text = cell.getAttribute("title") ?? cell.textContent?.trim().replace("−", "-") ?? "";
    void copy(text).then((done) => announce(done ? `Copied ${text}` : `This browser lets no page copy; the value is ${text}`));
  });
  root.addEventListener("copy", (event) => {
    const selection = getSelection();
    const region = root.activeElement?.closest(".scroll");
    const whole = selection?.isCollapsed && region?.querySelector("table");
    const part = whole ? region : selection?.rangeCount ? selection.getRangeAt(0).cloneContents() : null;
    if (!part?.querySelector("tr") || !event.clipboardData) return;
    event.clipboardData.setData("text/plain", tabbed(part));
    event.preventDefault();
    announce("Copied with all digits");
  });
}
