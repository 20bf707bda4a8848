"""Numbers at the bounds that a file's declared types have, and one beyond them."""

from copy import deepcopy

from pydantic import TypeAdapter

LIMITS = {"minimum": -1, "exclusiveMinimum": 1, "maximum": 1, "exclusiveMaximum": -1}


def at_bounds(values, kind):
    """Yields a name, and values of a type with one number at a bound or one past it."""
    schema = TypeAdapter(kind).json_schema()
    for path, limits in bounded(values, schema, schema.get("$defs", {})):
        for name, sign in LIMITS.items():
            for number in around(limits[name], sign) if name in limits else ():
                changed = deepcopy(values)
                target = changed
                for key in path[:-1]:
                    target = target[key]
                target[path[-1]] = number
                yield f"{'.'.join(map(str, path))} = {number}", changed


def around(bound, sign):
    """Returns a bound, and a number past it."""
    past = bound + sign
    return bound, past if past != bound else 2 * bound


def bounded(values, schema, names, path=()):
    """Yields the path to each number that has bounds, with them."""
    schema = names[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    for other in schema.get("anyOf", ()):
        yield from bounded(values, other, names, path)
    if LIMITS.keys() & schema.keys():
        yield path, schema
    for key, inner in members(values, schema):
        yield from bounded(values[key], inner, names, (*path, key))


def members(values, schema):
    """Returns the keys and types of an object's known members, or of the first in a collection."""
    if isinstance(values, list) and values and isinstance(schema.get("items"), dict):
        return [(0, schema["items"])]
    if not isinstance(values, dict) or not values:
        return []
    if "properties" in schema:
        return [(key, inner) for key, inner in schema["properties"].items() if key in values]
    inner = schema.get("additionalProperties")
    return [(next(iter(values)), inner)] if isinstance(inner, dict) else []
