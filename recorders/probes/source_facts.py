"""Finds constants in functions of a release's torchgen that no name gives access to."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator


def tree(function: Callable) -> ast.AST:
    """The syntax tree of a function."""
    return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))


def compared(function: Callable, operand: str) -> list[str]:
    """Texts that the function compares `operand` with, which is the end of an expression's text:
    `func.name` is the full name of an operator, `func.name.name` its base name.
    """
    found = set()
    for node in ast.walk(tree(function)):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            if ast.unparse(node.left).removesuffix(")").endswith(f".{operand}"):
                found |= set(_texts(node.comparators[0]))
    return sorted(found)


def endings(function: Callable) -> list[str]:
    """Texts that the function hands to `endswith`."""
    return sorted({text for call in _calls(function, "endswith") for text in _texts(call.args[0])})


def popped(function: Callable, variable: str) -> list[str]:
    """Keys that the function takes out of a mapping, sorted."""
    return sorted({call.args[0].value for call in _calls(function, "pop")
                   if ast.unparse(call.func.value) == variable})


def added(function: Callable, variable: str) -> list[str]:
    """Texts that the function adds to a set."""
    return [call.args[0].value for call in _calls(function, "add")
            if ast.unparse(call.func.value) == variable]


def intersected(function: Callable) -> list[str]:
    """Texts of the set that the function intersects something with."""
    return sorted({text for node in ast.walk(tree(function))
                   if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)
                   for text in _texts(node.right)})


def assigned(function: Callable, variable: str) -> object:
    """The constant that the function gives a variable; `None` where it has no such variable."""
    for node in ast.walk(tree(function)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == variable:
            return ast.literal_eval(node.value)
    return None


def subscripts(function: Callable, variable: str, prefix: str) -> list[str]:
    """Names `prefix.NAME` in what a variable is set to, in the order of the text."""
    found = []
    for node in ast.walk(tree(function)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == variable:
            found += [(inner.lineno, inner.col_offset, inner.attr) for inner in ast.walk(node.value)
                      if isinstance(inner, ast.Attribute) and ast.unparse(inner.value) == prefix]
    return list(dict.fromkeys(name for _, _, name in sorted(found)))


def _calls(function: Callable, method: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree(function)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value
