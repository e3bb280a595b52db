"""The checks: one row a claim, with its verdict, the measured figure, and how to run it."""

from typing import Any

from cutaway.bundle import Bundle
from cutaway.markup import Markup, element
from cutaway.page.provenance import place

VERDICTS = {"passed": ("✓", "passed"), "failed": ("✗", "failed"), "not run": ("○", "not run")}


def section(bundle: Bundle) -> Markup:
    checks: list[dict[str, Any]] = list(bundle.manifest["checks"])
    own = [check for check in checks if check["group"] == "lesson"]
    rest = [check for check in checks if check["group"] != "lesson"]
    where = place(bundle)  # as the commands under Provenance write it
    body = [_group("What this lesson claims", own, where), _group("What every recording must hold", rest, where)]
    titles = [element("th", {"scope": "col"}, title) for title in ("Verdict", "Claim", "Measured", "How to run it")]
    table = element("table", {"class": "checks"}, element("thead", {}, element("tr", {}, titles)), body)
    nothing = element(
        "p", {}, "No check was run on this recording. ", element("code", {}, "cutaway verify"), " runs them."
    )
    return element(
        "section",
        {"class": "proof", "id": "checks", "aria-labelledby": "checks-title"},
        element("h2", {"id": "checks-title"}, "Checked, not claimed"),
        element("p", {"class": "words"}, _summary(checks)) if checks else None,
        element("div", {"class": "scroll checks-scroll"}, table) if checks else nothing,
    )


def _group(title: str, checks: list[dict[str, Any]], where: str) -> Markup | None:
    name = element("th", {"colspan": 4, "scope": "rowgroup"}, title)
    rows = [_row(check, str(check["how"]).replace("BUNDLE", where)) for check in checks]
    return element("tbody", {}, element("tr", {"class": "group"}, name), rows) if checks else None


def _summary(checks: list[dict[str, Any]]) -> str:
    counts = [(sum(check["status"] == status for check in checks), status) for status in VERDICTS]
    noun = "claim" if len(checks) == 1 else "claims"
    return f"{len(checks)} {noun}: " + ", ".join(f"{count} {status}" for count, status in counts if count) + "."


def _row(check: dict[str, Any], how: str) -> Markup:
    sign, verdict = VERDICTS[check["status"]]
    kind = verdict.replace(" ", "-")
    return element(
        "tr",
        {"id": f"check-{check['id']}"},
        element("td", {"class": f"verdict {kind}"}, element("span", {"aria-hidden": "true"}, sign), f" {verdict}"),
        element("td", {}, str(check["claim"])),
        element("td", {}, str(check["measured"] or "")),
        element("td", {}, element("code", {}, how)),
    )
