"""The same page from a server below a sub-path, from disk as a folder, and from disk as one file."""

import pytest
from playwright.sync_api import Browser
from reading import FORMS, OpenPage, Places

INTRUDE = """
() => new Promise((done) => {
  document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective), { once: true });
  setTimeout(() => done("nothing was stopped"), 2000);
  INTRUDER
})
"""

INTRUDERS = {
    "an event handler in markup": (
        "script-src-attr",
        """const holder = document.createElement("div");
        holder.innerHTML = "<details open ontoggle='window.intruder = true'>";
        document.body.append(holder);""",
    ),
    "a style attribute in markup": (
        "style-src-attr",
        """const holder = document.createElement("div");
        holder.innerHTML = "<p style='color: red'>";
        document.body.append(holder);""",
    ),
    "an image from elsewhere": (
        "img-src",
        """document.body.append(Object.assign(new Image(), { src: "https://elsewhere.invalid/seen.png" }));""",
    ),
    "data from elsewhere": ("connect-src", """fetch("https://elsewhere.invalid/").catch(() => {});"""),
    "another base": (
        "base-uri",
        """const base = document.createElement("base");
        base.href = "https://elsewhere.invalid/";
        document.head.append(base);""",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_page_is_whole_in_each_form(open_page: OpenPage, places: Places, form: str) -> None:
    page = open_page(places[form])
    page.wait_for_selector("cutaway-graph svg")
    assert "look both left and right" in page.inner_text("h1")
    assert "0.246" in page.inner_text("main")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intruder", INTRUDERS)
def test_the_policy_of_each_form_stops(browser: Browser, places: Places, form: str, intruder: str) -> None:
    directive, code = INTRUDERS[intruder]
    page = browser.new_page()
    page.goto(places[form])
    assert page.evaluate(INTRUDE.replace("INTRUDER", code)) == directive
    assert page.evaluate("window.intruder") is None
    page.close()


@pytest.mark.parametrize("form", [*FORMS, "catalogue"])
def test_a_script_that_got_into_the_document_does_not_run(browser: Browser, places: Places, form: str) -> None:
    document = places.documents[form]
    text = document.read_text(encoding="utf-8")
    assert text.count("</body>") == 1
    intruded = document.with_name("intruded.html")
    intruded.write_text(text.replace("</body>", "<script>window.intruder = true</script></body>"), encoding="utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(places[form].removesuffix(document.name).rpartition("/")[0] + "/intruded.html")
    intruded.unlink()
    assert page.evaluate("window.intruder") is None
    assert any("Content Security Policy" in words for words in said)
    page.close()
