"""The flags of ``garden train`` in groups, made from the options that they set.

One dataclass per group: what belongs to every method, to one method, to one model. Words are those
of the options' own docstrings, and defaults are shown as the methods have them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, make_dataclass
from typing import Annotated, Any, get_type_hints

import tyro

from garden.models.registry import SIZE_MODELS, ModelConfig
from garden.training.config import TrainingOptions
from garden.training.methods.config import (
    METHOD_CONFIGS,
    METHODS,
    OPTION_MODELS,
    TrainingConfig,
    methods_with,
    option_names,
)

_NAMED = {
    "model": "trellis",
    "method": "guided for trellis, exact for the others",
    "protocol": "ours",
    "init_seed": "the split's seed",
}
_CHOICE = ("model", "method", "protocol", "init_seed")
_METHOD_WORDS = {
    "method": "The method: guided (imitates the oracle), exact (the exact policy gradient) or a2c "
    "(the paper's Algorithm 1).",
    "protocol": "Whose defaults: ours, or paper, the paper's own training: garden by a2c, an "
    "episode per update, no dropout, validation on the serialized pairs every 100 episodes; of "
    "a Facebook graph, attributes as published. How long it waits for a better one (--patience) "
    "is ours.",
}


def common_names() -> list[str]:
    """Options that every method and model has, beside the choice of those."""
    return [
        one.name
        for one in fields(TrainingConfig)
        if one.name not in _CHOICE and one.name not in OPTION_MODELS
    ]


def names_of_method(method: str) -> list[str]:
    """The names of the options that stand in the help under this method.

    Not every method has them. One that several methods have stands with the last of these.

    Args:
        method: The name of a method, such as ``guided``.
    """
    return [
        name
        for name in option_names(METHOD_CONFIGS[method])
        if methods_with(name) != list(METHODS)
        and methods_with(name)[-1] == method
        and name not in OPTION_MODELS
    ]


def option_group(names: Iterable[str]) -> type:
    """A dataclass of some training options, from which tyro makes a group of flags.

    Args:
        names: Names of fields of :class:`TrainingOptions`, in the order of the help.

    Returns:
        A frozen dataclass in which every field is None by default, as where a flag is not given;
        the help shows the default of the method instead.
    """
    words = {name: text + _owners(name) for name, text in (_OPTION_WORDS | _METHOD_WORDS).items()}
    types = get_type_hints(TrainingOptions)
    return _group(names, lambda name: (words[name], types[name], None, default_words(name)))


def _owners(name: str) -> str:
    """Which methods have an option, in words; empty where it is one of them or all."""
    owners = methods_with(name)
    return f" Of {' and '.join(reversed(owners))}." if 1 < len(owners) < len(METHODS) else ""


def size_group(names: Iterable[str]) -> type:
    """A dataclass of some sizes of a model, from which tyro makes a group of flags.

    Args:
        names: Names of fields of :class:`ModelConfig`, in the order of the help.

    Returns:
        A frozen dataclass with the defaults of :class:`ModelConfig`.
    """
    words, types, usual = docstrings_of(ModelConfig), get_type_hints(ModelConfig), ModelConfig()

    def described(name: str) -> tuple[str, Any, Any, str]:
        value = getattr(usual, name)
        return words[name], types[name], value, f"(default: {value})"

    return _group(names, described)


def trellis_group() -> type:
    """What only trellis has: training options and what it reads."""
    options, size = option_group(OPTION_MODELS), size_group(names_of_size("trellis"))
    return make_dataclass("Flags", [], bases=(size, options), frozen=True)


def names_of_size(model: str) -> list[str]:
    """Sizes that this model has and no other."""
    return [name for name, models in SIZE_MODELS.items() if models == (model,)]


def default_words(name: str) -> str:
    """The default of an option in words: one, or one for each method that has it.

    Args:
        name: A field of the options.

    Returns:
        Text in brackets for the help.
    """
    if name in _NAMED:
        return f"(default: {_NAMED[name]})"
    values = {
        method: METHOD_CONFIGS[method].__dataclass_fields__[name].default
        for method in reversed(methods_with(name))
    }
    if len(set(values.values())) == 1:
        return f"(default: {next(iter(values.values()))})"
    each = ", ".join(f"{method} {value}" for method, value in values.items())
    return f"(default: {each})"


def docstrings_of(options: type[Any]) -> Mapping[str, str]:
    """The string under each field of a dataclass, on one line.

    Args:
        options: A dataclass whose source can be read; inherited fields are left out.

    Returns:
        The strings by the names of the fields; a field without one is left out.
    """
    (tree,) = ast.parse(inspect.getsource(options)).body
    assert isinstance(tree, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for part in tree.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            name = part.target.id
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and name:
            found[name], name = " ".join(str(part.value.value).split()), ""
    return found


_CONFIGS: list[type[TrainingConfig]] = [TrainingConfig, *METHOD_CONFIGS.values()]
_OPTION_WORDS = {name: words for kind in _CONFIGS for name, words in docstrings_of(kind).items()}


def _group(names: Iterable[str], described: Callable[[str], tuple[str, Any, Any, str]]) -> type:
    """A dataclass with these fields; ``described`` gives each its help, type, default and hint."""
    parts = []
    for name in names:
        words, kind, default, hint = described(name)
        shown = tyro.conf.arg(help=words, help_behavior_hint=hint)
        parts.append((name, Annotated[kind, shown], field(default=default)))
    return make_dataclass("Flags", parts, frozen=True)


_GROUPS = (
    ("model and method", option_group(_CHOICE), "What is trained, and how."),
    ("training", option_group(common_names()), "For every method and model."),
    (
        "guided",
        option_group(names_of_method("guided")),
        "For --method guided; what exact has too says so.",
    ),
    ("a2c", option_group(names_of_method("a2c")), "For --method a2c."),
    ("model", size_group(["hidden"]), "For every model."),
    ("trellis", trellis_group(), "For --model trellis."),
    ("garden", size_group(names_of_size("garden")), "For --model garden."),
)

FlagGroups: type = make_dataclass(
    "FlagGroups",
    [
        (
            name.replace(" ", "_"),
            Annotated[kind, tyro.conf.OmitArgPrefixes, tyro.conf.arg(name=name, help=words)],
            field(default_factory=kind),
        )
        for name, kind, words in _GROUPS
    ],
    frozen=True,
)
"""All groups of flags, in the order of the help."""
