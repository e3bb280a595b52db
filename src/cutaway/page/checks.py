"""The checks: how to run them, and one row a claim with its verdict and the measured figure."""

from collections import Counter
from typing import Any

from cutaway.bundle import Bundle
from cutaway.markup import Markup, element
from cutaway.page.provenance import place

VERDICTS = {"passed": ("✓", "passed"), "failed": ("✗", "failed"), "not run": ("○", "not run")}


def section(bundle: Bundle) -> Markup:
    checks: list[dict[str, Any]] = list(bundle.manifest["checks"])
    own = [check for check in checks if check["group"] == "lesson"]
    rest = [check for check in checks if check["group"] != "lesson"]
    how = {check["id"]: str(check["how"]).replace("BUNDLE", place(bundle)) for check in checks}
    usual = Counter(how.values()).most_common(1)[0][0] if checks else ""
    other = {name: command for name, command in how.items() if command != usual}
    body = [_group("What this lesson claims", own, other), _group("What every recording must hold", rest, other)]
    titles = [element("th", {"scope": "col"}, title) for title in ("Verdict", "Claim", "Measured")]
    table = element("table", {"class": "checks"}, element("thead", {}, element("tr", {}, titles)), body)
    nothing = element(
        "p", {}, "No check was run on this recording. ", element("code", {}, "cutaway verify"), " runs them."
    )
    return element(
        "section",
        {"class": "proof", "id": "checks", "aria-labelledby": "checks-title"},
        element("h2", {"id": "checks-title"}, "Checked, not claimed"),
        element("p", {"class": "words"}, _summary(checks)) if checks else None,
        element("p", {}, "To run them again: ", element("code", {}, usual)) if checks else None,
        element("div", {"class": "scroll checks-scroll"}, table) if checks else nothing,
    )


def _group(title: str, checks: list[dict[str, Any]], other: dict[str, str]) -> Markup | None:
    name = element("th", {"colspan": 3, "scope": "rowgroup"}, title)
    rows = [_row(check, other.get(check["id"])) for check in checks]
    return element("tbody", {}, element("tr", {"class": "group"}, name), rows) if checks else None


def _summary(checks: list[dict[str, Any]]) -> str:
    counts = [(sum(check["status"] == status for check in checks), status) for status in VERDICTS]
    noun = "claim" if len(checks) == 1 else "claims"
    return f"{len(checks)} {noun}: " + ", ".join(f"{count} {status}" for count, status in counts if count) + "."


def _row(check: dict[str, Any], how: str | None) -> Markup:
    """how: the command, where it is not the one above the table."""
    sign, verdict = VERDICTS[check["status"]]
    kind = verdict.replace(" ", "-")
    return element(
        "tr",
        {"id": f"check-{check['id']}"},
        element("td", {"class": f"verdict {kind}"}, element("span", {"aria-hidden": "true"}, sign), f" {verdict}"),
        element("td", {}, str(check["claim"]), [" Run by ", element("code", {}, how)] if how else None),
        element("td", {}, str(check["measured"] or "")),
    )
