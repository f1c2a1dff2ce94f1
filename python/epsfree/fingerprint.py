"""What a Python simulator consists of, so that a run notices when it has changed."""
from __future__ import annotations

import ast
import dis
import functools
import hashlib
import inspect
import textwrap
import types
from typing import Any

_SIMPLE = (type(None), bool, int, float, complex, str, bytes)
_MOST_FUNCTIONS = 200


def simulator_parts(function: Any) -> list[tuple[str, str, str]]:
    """The functions that a simulator consists of: itself and those of its own module that it calls,
    each as (what it is called, where it stands, a digest). A digest covers the source, or the
    bytecode where there is none, and the numbers, texts, tuples and arrays that the function refers to.
    Variables that the function changes, lists and dictionaries are left out: they may be counters or caches.

    >>> def simulator(theta):
    ...     return 2 * theta
    >>> [(what, len(digest)) for what, _, digest in simulator_parts(simulator)]
    [('function simulator', 64)]
    """
    parts: list[tuple[str, str, str]] = []
    seen: set[int] = set()
    waiting = [function]
    while waiting and len(parts) < _MOST_FUNCTIONS:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        code = _code_of(each)
        if code is None:
            state, others = _state_of(each)
            waiting += others
            if state is not None:
                parts.append((f"object {type(each).__name__}", _place(type(each)), state))
            continue
        references, others = _references(each, code)
        waiting += others
        name = getattr(each, "__qualname__", code.co_name).replace("<locals>.", "")
        digest = hashlib.sha256()
        digest.update(_text_of(each, code))
        for key, value in sorted(references.items()):
            digest.update(f"\0{key}\0".encode() + value)
        parts.append((f"function {name}", _place(each), digest.hexdigest()))
    return parts


def _code_of(function):
    function = getattr(function, "py_func", function)  # a function compiled by numba
    function = inspect.unwrap(function) if callable(function) else function
    return getattr(function, "__code__", None)


def _text_of(function, code):
    """The source, whatever its indentation, or the bytecode."""
    try:
        return textwrap.dedent(inspect.getsource(code)).strip().encode()
    except (OSError, TypeError, SyntaxError):
        return _bytecode(code)


def _bytecode(code):
    constants = [_bytecode(c) if isinstance(c, types.CodeType) else repr(c).encode()
                 for c in code.co_consts]
    return b"\0".join([code.co_code, repr(code.co_names).encode(), *constants])


def _place(function):
    """For people: the file and the line."""
    try:
        target = inspect.unwrap(getattr(function, "py_func", function))
        file = inspect.getsourcefile(target)
        return f"{file}:{inspect.getsourcelines(target)[1]}"
    except (OSError, TypeError):
        return getattr(function, "__qualname__", type(function).__name__)


def _value(value, depth=0):
    """The bytes of a plain value; None where it is something else."""
    if isinstance(value, _SIMPLE):
        return repr(value).encode()
    if isinstance(value, tuple) and depth < 4:
        items = [_value(each, depth + 1) for each in value]
        return None if any(item is None for item in items) else b"(" + b",".join(items) + b")"
    if hasattr(value, "tobytes") and hasattr(value, "shape") and getattr(value, "dtype", None) != object:
        try:
            return hashlib.sha256(repr((value.shape, str(value.dtype))).encode() + value.tobytes()).digest()
        except Exception:  # noqa: BLE001: an array of another library, which is then left out
            return None
    return None


def _references(function, code):
    """What a function refers to besides its arguments: plain values by name, and other functions."""
    target = inspect.unwrap(getattr(function, "py_func", function))
    target = getattr(target, "__func__", target)
    names = {}
    for key, cell in zip(code.co_freevars, getattr(target, "__closure__", None) or ()):
        try:
            names[key] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    globals_ = getattr(target, "__globals__", {})
    for key in _all_names(code):
        if key in globals_:
            names.setdefault(key, globals_[key])
    for key in _stored_by(code, ("STORE_GLOBAL", "STORE_DEREF")) | _filled_by(code):
        names.pop(key, None)
    for index, value in enumerate(getattr(target, "__defaults__", None) or ()):
        names[f"default {index}"] = value
    if inspect.ismethod(function):
        names["self"] = function.__self__
    module = getattr(target, "__module__", None)
    values, others = {}, []
    for key, value in names.items():
        plain = _value(value)
        if plain is not None:
            values[key] = plain
        elif _belongs_to(value, module):
            others.append(value)
    return values, others


def _all_names(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _all_names(constant)
    return sorted(names)


def _stored_by(code, operations):
    """The names that a function assigns to by one of these operations."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname in operations}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _stored_by(constant, operations)
    return names


def _filled_by(code):
    """The names of arrays whose elements a function assigns to: counters, for example."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError):
        return set()
    return {node.value.id for node in ast.walk(tree) if isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)}


def _belongs_to(value, module):
    """Whether it is the user's own: a function of the same module, or an object of a class of it."""
    if isinstance(value, types.ModuleType) or isinstance(value, type):
        return False
    owner = value if _code_of(value) is not None else type(value)
    return getattr(owner, "__module__", None) == module or isinstance(value, functools.partial)


def _state_of(value):
    """A digest of a callable object's plain attributes, and the functions it consists of."""
    if isinstance(value, functools.partial):
        plain = _value((tuple(value.args), tuple(sorted(value.keywords.items()))))
        return hashlib.sha256(plain or b"").hexdigest(), [value.func]
    if not hasattr(type(value), "__dict__"):
        return None, []
    methods = [each for _, each in sorted(vars(type(value)).items()) if isinstance(each, types.FunctionType)]
    changing = set()
    for method in methods:
        if method.__name__ != "__init__":
            changing |= _stored_by(method.__code__, ("STORE_ATTR",))
    digest = hashlib.sha256()
    for key, each in sorted(getattr(value, "__dict__", {}).items()):
        plain = None if key in changing else _value(each)
        if plain is not None:
            digest.update(f"\0{key}\0".encode() + plain)
    return (digest.hexdigest(), methods) if methods else (None, [])
