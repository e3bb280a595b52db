"""The catalogue: a plain list without a script, searched by keyboard with one."""

from reading import OpenPage, Places


def test_every_shipped_lesson_has_a_card_with_its_graph_and_leads_to_its_page(
    open_page: OpenPage, places: Places
) -> None:
    page = open_page(places["catalogue"])
    cards = page.locator(".catalogue-card")
    assert cards.count() == 2
    for card in cards.all():
        assert card.locator("svg .box").count() > 1
        assert "checks passed" in card.inner_text()
    page.get_by_role("link", name="BERT pretraining").click()
    page.wait_for_selector("#architecture")
    page.get_by_role("link", name="All models").click()
    page.wait_for_selector(".catalogue-card")
    assert page.url.startswith(places["catalogue"])


def test_without_a_script_it_is_a_list_of_links(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["catalogue"], java_script_enabled=False)
    assert page.locator(".catalogue-card a").all_inner_texts() == page.locator(".catalogue-card h3").all_inner_texts()
    assert page.locator(".catalogue-search").is_hidden()


def test_search_works_by_keyboard_alone_and_says_how_many(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["catalogue"])
    while page.evaluate("document.activeElement.id") != "catalogue-words":
        page.keyboard.press("Tab")
    page.keyboard.type("xor")
    assert page.get_by_role("status").inner_text() == "1 of 2 models"
    assert page.url.endswith("#search=xor")
    page.keyboard.press("Enter")
    assert "XOR" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_url("**/xor/index.html")


def test_a_linked_search_is_found_again(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["catalogue"] + "#search=bert")
    assert page.get_by_label("Search").input_value() == "bert"
    assert page.locator(".catalogue-card:visible").count() == 1


def test_words_of_a_tour_find_their_model(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["catalogue"])
    page.get_by_label("Search").fill("embeddings become one row")
    assert page.get_by_role("status").inner_text() == "1 of 2 models"


def test_a_search_that_finds_nothing_says_so(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["catalogue"])
    page.get_by_label("Search").fill("nothing of that name")
    assert page.get_by_role("status").inner_text() == "0 of 2 models"
    assert page.locator(".catalogue-family:visible").count() == 0


def test_it_fits_a_narrow_screen(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["catalogue"], viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
