// Links into the shown source: they open it, mark the line and leave the address to the state.

export function startSource(root: Document, announce: (words: string) => void): void {
  root.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#source-"]');
    const line = link && root.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!line) return;
    event.preventDefault();
    line.closest("details")?.setAttribute("open", "");
    for (const found of root.querySelectorAll(".source .found")) found.classList.remove("found");
    line.classList.add("found");
    line.scrollIntoView({ block: "center" });
    line.closest<HTMLElement>("pre")?.focus({ preventScroll: true });
    announce(`Source, line ${line.id.replace(/.*-L/, "")}`);
  });
}
