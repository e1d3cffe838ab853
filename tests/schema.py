"""Compare JSON with the schemas in man/schema, and these with stfm-json(5).

    schema.py keys PAGE DIR      what page and schemas do not agree on
    schema.py check SCHEMA [NAME...] <OBJECTS
                                 what is wrong with a JSON array, or a line of
                                 JSON for each object; NAME is a hyperparameter
    schema.py seen SCHEMA <OBJECTS
                                 the keys that have a value in no object

The first two print nothing when all is well.
"""
import json
import pathlib
import re
import sys

import jsonschema

PARAM = ["string", "number", "boolean", "array", "object"]
PLAIN = {"string": "text", "integer": "integer", "number": "number",
         "boolean": "flag", "array": "list", "object": "object"}


def word(schema):
    """The type of a schema as the page has it."""
    if "enum" in schema:
        return "text?" if None in schema["enum"] else "text"
    types = schema["type"]
    types = types if isinstance(types, list) else [types]
    mark = "?" if "null" in types else ""
    types = [t for t in types if t != "null"]
    more = schema.get("additionalProperties", False)
    if types == PARAM:
        name = "param"
    elif types == ["number", "string"]:
        name = "value"
    elif types == ["object"] and more:
        name = {"param": "params", "text": "texts"}[word(more)]
    elif "x-unit" in schema:
        name = schema["x-unit"]
    else:
        name = " or ".join("count" if t == "integer" and "minimum" in schema
                           else PLAIN[t] for t in types)
    return name + mark


def keys(schema, prefix=""):
    """The keys of an object with their types, those within others too."""
    if schema.get("additionalProperties"):
        yield "*", word(schema["additionalProperties"])
    elif schema["additionalProperties"] is not False:
        raise ValueError(prefix + ": additionalProperties is not false")
    for key, of in schema.get("properties", {}).items():
        always = key in schema.get("required", [])
        yield prefix + key, word(of) + ("" if always else "*")
        if "properties" in of:
            yield from keys(of, prefix + key + ".")
        if "properties" in of.get("items", {}):
            yield from keys(of["items"], prefix + key + "[].")


def rows(page):
    """The rows of the tables of a page, by the schema named above each."""
    tables, schema = {}, None
    for line in page.splitlines():
        named = re.fullmatch(r"\.Pa (\S+)\.json \.", line)
        row = re.fullmatch(r"\.It (\S+) Ta (.+) Ta (.+)", line)
        if named:
            schema = tables.setdefault(named[1], {})
        elif line.startswith(".Sh"):
            schema = None
        elif row and schema is not None:
            if row[1] in schema:
                raise ValueError(row[1] + ": twice")
            schema[row[1]] = row[2]
    return tables


def compare(page, directory):
    tables = rows(pathlib.Path(page).read_text())
    schemas = {path.stem: json.loads(path.read_text())
               for path in pathlib.Path(directory).glob("*.json")}
    for name in sorted(tables.keys() ^ schemas.keys()):
        print(name + ":", "no schema" if name in tables else "not in the page")
    for name in sorted(tables.keys() & schemas.keys()):
        jsonschema.Draft202012Validator.check_schema(schemas[name])
        listed = set(tables[name].items())
        for key, of in sorted(listed ^ set(keys(schemas[name]))):
            print("%s: %s: %s in the %s" % (name, key, of, (
                "page" if (key, of) in listed else "schema")))


def objects(text):
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines()]


def check(schema, names, found):
    if schema.get("additionalProperties"):
        for name in names:
            schema["properties"] = {**schema.get("properties", {}),
                                    name: schema["additionalProperties"]}
        schema["required"] = schema.get("required", []) + names
        schema["additionalProperties"] = False
    validator = jsonschema.Draft202012Validator(schema)
    if not found:
        print("no objects")
    for i, one in enumerate(found):
        for error in validator.iter_errors(one):
            print("%d: %s: %s" % (i, "/".join(map(str, error.path)),
                                  error.message))


def main(what, path, *names):
    if what == "keys":
        compare(path, *names)
        return
    schema = json.loads(pathlib.Path(path).read_text())
    found = objects(sys.stdin.read())
    if what == "check":
        check(schema, list(names), found)
        return
    for key in schema["properties"]:
        if all(one.get(key) is None for one in found):
            print(key)


main(*sys.argv[1:])
