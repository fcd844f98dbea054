"""Prints the reference of the Python package as Markdown: every public name with its signature and its own words."""

import inspect

import pacodiscovery


def signature(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)" if callable(thing) else ""


def words(thing):
    text = inspect.getdoc(thing) or ""
    return "" if text == inspect.getdoc(object) else text


def members(kind):
    for name, member in sorted(vars(kind).items()):
        if name.startswith("_"):
            continue
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        yield name, function, isinstance(member, property) or not callable(function)


def entry(name, thing):
    print(f"## {name}\n")
    if not inspect.isclass(thing):
        print(f"```python\n{name}{signature(thing)}\n```\n\n{words(thing)}\n")
        return
    if not issubclass(thing, Exception):
        print(f"```python\nclass {name}{signature(thing)}\n```\n")
    print(f"{words(thing)}\n")
    for part, function, is_value in members(thing):
        what = part if is_value else part + signature(function)
        text = words(function).split("\n\n")[0].replace("\n", " ")
        print(f"- `{what}`" + (f": {text}" if text else ""))
    print()


def main():
    print(f"# Python package\n\n```python\nimport {pacodiscovery.__name__} as paco\n```\n")
    for name in pacodiscovery.__all__:
        thing = getattr(pacodiscovery, name)
        if not inspect.ismodule(thing):
            entry(name, thing)


if __name__ == "__main__":
    main()
