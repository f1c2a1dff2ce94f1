"""The methods of inference and their options, from the library's table."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple, TypeVar, Union

from . import _core, display
from .arguments import argument_of
from .errors import InputError

Value = Union[bool, int, float, str, List[int]]
_DISTANCE = "abc.distance"
_Function = TypeVar("_Function", bound=Callable[..., object])


@dataclass(frozen=True)
class MethodOption:
    """An option of a method: `path` as problem files call it ("smc.population"), `default`, `help`, the
    `range` of a number in words and the `choices` where it is one of several words."""

    path: str
    default: Value
    help: str
    range: str = ""
    choices: Tuple[str, ...] = ()

    @property
    def argument(self) -> str:
        """As an argument of :func:`epsfree.infer`."""
        return argument_of("method." + self.path)

    def __repr__(self):
        # Choices that the help explains need not be listed again.
        explained = self.choices and all(f'"{choice}"' in self.help for choice in self.choices)
        allowed = "" if explained else self._allowed
        return f"{self.argument} = {self.default!r}: {self.help}" + (f" ({allowed})" if allowed else "")

    @property
    def _allowed(self):
        return _listed(self.choices, "or") if self.choices else self.range

    def _repr_html_(self) -> str:
        return display.table(self.argument, [("default", repr(self.default)), ("range", self._allowed or "any"),
                                             ("meaning", self.help)])


@dataclass(frozen=True)
class Method:
    """A method of inference, as :func:`epsfree.methods` lists it: `name`, `help`, `options` by path, and whether
    what it learns holds for `any_observation`. `groups` has a line about each group of options.

    >>> import epsfree
    >>> epsfree.methods()["smc-abc"].options["smc.quantile"]
    smc["quantile"] = 0.5: with "quantile" (above 0 and below 1)
    """

    name: str
    help: str
    any_observation: bool
    options: Dict[str, MethodOption]
    groups: Dict[str, str]

    def __repr__(self):
        lines, group = [f"method={self.name!r}: {self.help}"], ""
        for path, option in self.options.items():
            if path.rpartition(".")[0] != group:
                group = path.rpartition(".")[0]
                lines.append(f"  {group}: {self.groups[group]}")
            lines.append(f"    {option!r}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return display.table(f"Method {self.name}: {self.help}", [
            (option.argument, repr(option.default), option._allowed, option.help) for option in self.options.values()],
            ("option", "default", "range", "meaning"))

    def _defaults(self, group):
        """The defaults of a group's options by name; of "": of those in no group, without the budget."""
        return {path.rpartition(".")[2]: option.default for path, option in self.options.items()
                if path.rpartition(".")[0] == group and path != "num_simulations"}


class Methods(Dict[str, Method]):
    """The methods by name."""

    def __repr__(self):
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:{width}}  {method.help}" for name, method in self.items())

    def _repr_html_(self) -> str:
        return display.table("Methods", [(name, method.help) for name, method in self.items()])


def methods() -> Methods:
    """The methods that `method=` of :func:`epsfree.infer` takes, by name, the default first. Each shows its
    options with default, range and meaning.

    >>> import epsfree
    >>> "smc-abc" in epsfree.methods()
    True
    >>> epsfree.methods()["rejection-abc"].options["abc.distance"].choices
    ('euclidean', 'std', 'mad', 'mahalanobis')
    """
    return Methods({each["name"]: _method(**each) for each in _core.methods()})


def _method(name, help, any_observation, groups, options):
    return Method(name, help, any_observation, {each["path"]: _option(**each) for each in options}, groups)


def _option(path, default, range, help, choices):
    return MethodOption(path, default, help, range, tuple(choices))


def _listed(names, last):
    """"a", "b" or "c"."""
    words = [f'"{name}"' for name in names]
    return f" {last} ".join(([", ".join(words[:-1])] if words[1:] else []) + words[-1:])


def for_any_observation() -> str:
    """The names of the methods that learn for any observation, for messages: '"a" or "b"'."""
    return _listed([name for name, method in methods().items() if method.any_observation], "or")


def learns_any_observation(name: object) -> bool:
    """Whether it is the name of a method that learns for any observation."""
    return any(method.any_observation for method in methods().values() if method.name == name)


def check_has_distance(name: object) -> None:
    """Refuses a distance for a method that has none. What is no method is left to the library to name."""
    table = methods()
    having = [each for each, method in table.items() if _DISTANCE in method.options]
    if isinstance(name, str) and name in table and name not in having:
        raise InputError(f"infer: distance is not for the method \"{name}\"; the methods "
                         f"{_listed(having, 'and')} have one")


def _distances():
    """The names of all distances."""
    return _listed(dict.fromkeys(choice for method in methods().values() if _DISTANCE in method.options
                                 for choice in method.options[_DISTANCE].choices), "or")


def describes_methods(function: _Function) -> _Function:
    """Fills a line about each method, and the names of some, into a documentation string."""
    def lines(match):
        return "\n".join(f'{match[1]}- "{name}": {method.help}' for name, method in methods().items())

    if function.__doc__:  # none with python -OO
        function.__doc__ = re.sub(r"^( *)\{methods\}$", lines, function.__doc__, flags=re.MULTILINE).replace(
            "{for_any_observation}", for_any_observation()).replace("{distances}", _distances())
    return function
