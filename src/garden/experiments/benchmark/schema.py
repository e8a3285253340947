"""A check of plain values against a JSON Schema, of which the part is known that entries need.

Known words: type, const, enum, required, properties, additionalProperties (false alone), items,
minItems, maxItems, minLength, minimum, maximum, pattern. A schema with any other word is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_NOTES = {"$schema", "$id", "title", "description"}
_KNOWN = _NOTES | {
    "type", "const", "enum", "required", "properties", "additionalProperties", "items",
    "minItems", "maxItems", "minLength", "minimum", "maximum", "pattern",
}  # fmt: skip


def first_misfit(value: Any, schema: Mapping[str, Any], at: str = "entry") -> str | None:
    """What is wrong with a value first, as text that names the place; None where it fits.

    Args:
        value: As ``json.loads`` gives it.
        schema: The schema.
        at: What the value is called.
    """
    unknown = set(schema) - _KNOWN
    if unknown:
        raise ValueError(f"unknown word of a schema: {min(unknown)}")
    return next(_misfits(value, schema, at), None)


def _misfits(value: Any, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{at} is not of type {' or '.join(kinds)}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str):
        yield from _of_text(value, schema, at)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _of_number(value, schema, at)
    elif isinstance(value, list):
        yield from _of_list(value, schema, at)
    elif isinstance(value, dict):
        yield from _of_object(value, schema, at)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _of_text(value: str, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"{at} is too short"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at} does not match {schema['pattern']}"


def _of_number(value: float, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    if not math.isfinite(value):
        yield f"{at} is not finite"
    if value < schema.get("minimum", -math.inf):
        yield f"{at} is below {schema['minimum']}"
    if value > schema.get("maximum", math.inf):
        yield f"{at} is above {schema['maximum']}"


def _of_list(value: list[Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", math.inf):
        yield f"{at} has {len(value)} items"
    for number, item in enumerate(value):
        inner = first_misfit(item, schema.get("items", {}), f"{at}[{number}]")
        if inner:
            yield inner


def _of_object(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at} has no {name!r}"
    for name, item in value.items():
        if name in properties:
            inner = first_misfit(item, properties[name], f"{at}.{name}")
            if inner:
                yield inner
        elif schema.get("additionalProperties") is False:
            yield f"{at} has an unknown {name!r}"
