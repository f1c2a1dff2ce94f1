"""Problem files are TOML; this writes what Python has as such."""
import json
import math
import re

import numpy as np

from .errors import InputError


def value(item):
    """A value as TOML writes it.

    >>> value([1, 2.5, "a"]), value(True), value({"a": 1})
    ('[1, 2.5, "a"]', 'true', '{"a" = 1}')
    """
    if isinstance(item, (bool, np.bool_)):
        return "true" if item else "false"
    if isinstance(item, (int, np.integer)):
        return str(int(item))
    if isinstance(item, (float, np.floating)):
        item = float(item)
        if math.isnan(item):
            return "nan"
        if math.isinf(item):
            return "inf" if item > 0 else "-inf"
        return repr(item)
    if isinstance(item, str):
        return json.dumps(item)
    if isinstance(item, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {value(v)}" for k, v in item.items()) + "}"
    if isinstance(item, np.ndarray):
        return value(item.tolist())
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(value(each) for each in item) + "]"
    raise InputError(f"{item!r} is of type {type(item).__name__}, expected a number, a string, True, False, or "
                     "a list or dictionary of these")


def assignments(table, path):
    """A table, nested ones included, as lines `path.key = value`."""
    lines = []
    for key, item in table.items():
        key = str(key) if re.fullmatch(r"[\w.-]+", str(key), re.ASCII) else json.dumps(str(key))
        name = f"{path}.{key}" if path else key
        if isinstance(item, dict):
            lines += assignments(item, name)
        else:
            try:
                lines.append(f"{name} = {value(item)}")
            except InputError as error:
                raise InputError(f"{name.removeprefix('method.')}: {error}") from None
    return lines
