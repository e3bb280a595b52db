"""What the source calls a value, and where it was made, without keeping the source.

A value takes the name of the variable its statement assigns it to. Python keeps, for each instruction, the columns of
the expression it belongs to (PEP 657), so `probs = scores.softmax(-1)` names the softmax's result and not the others.
"""

import ast
import linecache
import sys
import sysconfig
from functools import cache, lru_cache
from pathlib import Path, PurePath
from types import CodeType

_HERE = str(Path(__file__).parents[1])  # the package itself

_Place = tuple[int | None, int | None, int | None, int | None]


@cache
def is_library(file: str) -> bool:
    """Whether a source file belongs to torch, to Python's own library or to cutaway (its lessons excepted)."""
    if file.startswith(_HERE):
        return not file.startswith(str(Path(_HERE, "lessons")))
    torch_root, python_root = _library_roots()
    return file.startswith(torch_root) or (file.startswith(python_root) and "site-packages" not in file)


@lru_cache(maxsize=1)
def _library_roots() -> tuple[str, str]:
    import torch

    return str(Path(torch.__file__).parent), sysconfig.get_path("stdlib")


def shown_path(file: str) -> str:
    """A file's path as a page may show it: relative to where it was imported from, never absolute.

    `.../site-packages/torch/nn/modules/linear.py` becomes `torch/nn/modules/linear.py`.
    """
    return file if file.startswith("<") else _below_root(file, tuple(sys.path))


@cache
def _below_root(file: str, roots: tuple[str, ...]) -> str:
    path = PurePath(file)
    best = ""
    for root in roots:
        if root and len(root) > len(best) and path.is_relative_to(root):
            best = root
    return path.relative_to(best).as_posix() if best else path.name


@cache
def names_at(code: CodeType, instruction: int) -> tuple[str, ...]:
    """Names that the source gives to the result of one instruction: one, several for an unpacking, or none.

    `output` stands for a result that is returned at once.
    """
    place = _positions(code)[instruction // 2]
    statement = _statements(code.co_filename).get(place)
    return statement or ()


@cache
def _positions(code: CodeType) -> list[_Place]:
    return list(code.co_positions())


@cache
def _statements(file: str) -> dict[_Place, tuple[str, ...]]:
    """For each expression that a statement assigns or returns as a whole: the names it gets."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return {}
    named: dict[_Place, tuple[str, ...]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[target], value=value):
                _assign(named, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                _assign(named, target, value)
            case ast.NamedExpr(target=target, value=value):
                _assign(named, target, value)
            case ast.AugAssign(target=target):
                named[_place(node)] = _target_names(target)
            case ast.Return(value=ast.expr() as value) | ast.Lambda(body=value):
                for branch in _branches(value):
                    named.setdefault(_place(branch), ("output",))
    return named


def _assign(named: dict[_Place, tuple[str, ...]], target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for left, right in zip(target.elts, value.elts, strict=True):
            _assign(named, left, right)
    else:
        named |= dict.fromkeys(map(_place, _branches(value)), _target_names(target))


def _branches(value: ast.expr) -> list[ast.expr]:
    """The expressions that an expression may stand for: both sides of `a if b else c`, else itself."""
    match value:
        case ast.IfExp(body=left, orelse=right):
            return [*_branches(left), *_branches(right)]
    return [value]


def _target_names(target: ast.expr) -> tuple[str, ...]:
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return (name,)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            names = [_target_names(item) for item in items]
            return tuple(name[0] for name in names) if all(len(name) == 1 for name in names) else ()
    return ()


def _place(node: ast.expr | ast.stmt) -> _Place:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
