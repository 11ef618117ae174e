"""How the site reads docstrings: doctests anywhere in them are examples, roles are code."""

import re
from inspect import getdoc
from pydoc import locate
from typing import Any

import griffe

ROLE = re.compile(r":(?:func|class|meth|mod|data|attr):`~?([^`]*)`")
FIRST_DOCTEST = re.compile(r"(?<=\n\n)(?=>>> )")


class Docstrings(griffe.Extension):
    """An extension of Griffe, named in mkdocs.yml."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Make examples and code of what would be read as quotations and as colons."""
        if obj.docstring is None or obj.is_alias:
            return
        text = obj.docstring.value
        if "**options" in text and "**options" not in obj.parameters:
            text = getdoc(locate(obj.path)) or text  # filled in when the function is defined
        text = ROLE.sub(r"`\1`", text)
        if "Examples\n-----" not in text:
            text = FIRST_DOCTEST.sub("Examples\n--------\n", text, count=1)
        obj.docstring.value = text
