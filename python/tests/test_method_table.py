"""epsfree.methods(): what the library's table says, as Python shows it."""
import re
import subprocess

import pytest

import epsfree
from epsfree import _core, toml_text
from epsfree.method_table import describes_methods, for_any_observation, learns_any_observation

METHODS = epsfree.methods()
PROBLEM = """
[simulator]
closure = "f"
num_statistics = 1
[prior]
kind = "independent"
[[prior.parameter]]
name = "a"
family = "normal"
mean = 0.0
std = 1.0
[observed]
values = [0.5]
"""


def problem_of(method, options):
    lines = "\n".join(toml_text.assignments({"method": dict(options, name=method)}, ""))
    return _core.parse_problem(lines + PROBLEM, "test", lambda *_: None, 1)


def test_the_same_methods_as_the_program(program):
    said = subprocess.run([program, "methods"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^(\S+)\n +(.*)$", said, re.MULTILINE) == [(name, each.help) for name, each in METHODS.items()]
    assert next(iter(METHODS)) == "auto"


@pytest.mark.parametrize("name", METHODS)
def test_options_and_defaults_are_those_of_the_library(name):
    """Giving every option its default changes nothing, and none is missing."""
    options = {}
    for path, option in METHODS[name].options.items():
        *groups, key = path.split(".")
        place = options
        for group in groups:
            place = place.setdefault(group, {})
        place[key] = option.default
    plain, given = problem_of(name, {}).to_toml(), problem_of(name, options).to_toml()
    assert plain == given
    table = plain[plain.index("[method]"):]
    table = re.split(r"^\[(?!method)", table, flags=re.MULTILINE)[0]
    assert len(re.findall(r"^\w+ = ", table, re.MULTILINE)) == len(METHODS[name].options) + 1  # and the name


@pytest.mark.parametrize("name", METHODS)
def test_ranges_are_those_of_messages(name):
    option = METHODS[name].options["num_simulations"]
    with pytest.raises(epsfree.InputError, match=re.escape(option.range)):
        problem_of(name, {"num_simulations": 1})


@pytest.mark.parametrize("name", METHODS)
def test_a_method_shows_all_its_options(name):
    method = METHODS[name]
    for text in (repr(method), method._repr_html_().replace("&quot;", '"').replace("&#x27;", "'").replace("&amp;", "&")):
        assert name in text and method.help in text
        for option in method.options.values():
            assert option.argument in text and option.help in text and repr(option.default) in text
            assert option.range in text and all(choice in text for choice in option.choices)
    assert all(f"{group}: {line}" in repr(method) for group, line in method.groups.items())
    assert name in repr(METHODS) and name in METHODS._repr_html_()


def test_help_names_every_method():
    assert all(f'- "{name}": {method.help}' in epsfree.infer.__doc__ for name, method in METHODS.items())
    assert not re.search(r"\{\w+\}", epsfree.infer.__doc__)

    @describes_methods
    def bare():
        pass

    assert bare.__doc__ is None


def test_which_methods_learn_for_any_observation(monkeypatch):
    assert [name for name in METHODS if learns_any_observation(name)] == ["mdn-with-prior"]
    assert not learns_any_observation("magic") and not learns_any_observation(["mdn-with-prior"])
    assert for_any_observation() == '"mdn-with-prior"'
    several = [dict(each, any_observation=True) for each in _core.methods()[:3]]
    monkeypatch.setattr(_core, "methods", lambda: several)
    assert for_any_observation() == '"auto", "mdn-with-prior" or "proposal-prior"'


def test_what_is_changed_by_a_caller_is_not_changed_for_others():
    epsfree.methods()["auto"].options.clear()
    epsfree.methods().clear()
    assert epsfree.methods() == METHODS and METHODS["auto"].options
