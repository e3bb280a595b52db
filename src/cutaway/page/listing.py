"""Python source as highlighted lines, each with an anchor of its own: id="source-model.py-L12"."""

from pygments import lex
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from cutaway.markup import Markup, element

# token type -> class; the first that contains a token wins
_CLASSES = (
    (Comment, "c"), (String.Doc, "c"), (String, "s"), (Number, "m"), (Keyword, "k"), (Operator.Word, "k"),
    (Name.Function, "f"), (Name.Class, "f"), (Name.Decorator, "f"),
)  # fmt: skip


def listing(name: str, text: str) -> Markup:
    """The lines of a file as one `pre`."""
    lines: list[list[Markup | str]] = [[]]
    for token, part in lex(text, PythonLexer(stripnl=False, ensurenl=False)):
        shade = _shade(token)
        for i, piece in enumerate(part.split("\n")):
            if i:
                lines.append([])
            if piece:
                lines[-1].append(element("i", {"class": shade}, piece) if shade else piece)
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    drawn = [element("i", {"id": anchor(name, i)}, *line, "\n") for i, line in enumerate(lines, 1)]
    label = f"Source of {name}"
    return element(
        "pre", {"class": "source", "tabindex": "0", "role": "region", "aria-label": label}, element("code", {}, drawn)
    )


def anchor(name: str, line: int) -> str:
    return f"source-{name}-L{line}"


def _shade(token: _TokenType) -> str | None:
    return next((shade for kind, shade in _CLASSES if token in kind), None)
