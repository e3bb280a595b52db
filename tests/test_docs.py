"""The documents say what is there: the tree, the paths they name, the commands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXTERNAL = re.compile(r"^(https?:|#)")


def tree() -> list[str]:
    """Paths in the README's tree, folders with a slash at the end."""
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("## The tree")[1].split("```")[1]
    paths, folder = [], ""
    for line in filter(None, block.splitlines()):
        name = line.split()[0]
        if not line.startswith(" "):
            folder = name if name.endswith("/") else ""
            paths.append(name)
        else:
            paths.append(folder + name)
    return paths


def test_every_path_in_the_readme_tree_exists() -> None:
    for path in tree():
        found = ROOT / path
        assert found.is_dir() if path.endswith("/") else found.is_file(), path


def test_every_module_and_document_stands_in_the_readme_tree() -> None:
    package, docs = ROOT / "src" / "cutaway", ROOT / "docs"
    there = {path.relative_to(ROOT).as_posix() for path in [*package.glob("*.py"), *docs.glob("*.md")]}
    there |= {path.parent.relative_to(ROOT).as_posix() + "/" for path in package.glob("*/__init__.py")}
    assert there <= set(tree())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    for target in targets:
        assert EXTERNAL.match(target) or (document.parent / target.split("#")[0]).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_document_that_another_names_exists(document: Path) -> None:
    for name in re.findall(r"\bdocs/[a-z]+\.md\b", document.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file(), name


def test_the_design_keeps_all_decisions_in_order() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^\*\*(\d+)\. ", text, re.M)] == list(range(1, 20))


def test_the_cases_keep_their_numbers() -> None:
    text = (ROOT / "docs" / "cases.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\| (\d+[a-z]?) \|", text, re.M)
    recording = [*map(str, range(1, 19)), "18b", "18c", "19", "19b", "20"]
    assert numbers == recording + [str(number) for number in range(17)]
