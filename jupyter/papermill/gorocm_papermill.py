"""Teaches papermill to write parameters in Go. With gorocm's wheel installed, papermill finds this by itself.

    python gorocm_papermill.py in.ipynb out.ipynb -p alpha 0.25 -p steps 100    # papermill's own command line
    import gorocm_papermill                                                      # before papermill.execute_notebook(…)

A parameter that the cell tagged "parameters" declares keeps its type: it is assigned to, so 1 for a float64 is 1.0, and a value
that does not fit is the session's type error. One that the cell does not declare is declared by its value.
"""
import json
import math
import re

from papermill.engines import NBClientEngine
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

NAMES = r"(\w+(?:\s*,\s*\w+)*)"
DECLARED = re.compile(r"^(?:%s\s*:=|var\s+%s\b[^=\n]*=?)[ \t]*(.*)$" % (NAMES, NAMES), re.MULTILINE)


class Go(Translator):
    declared = set()  # by the notebook that is being run

    @classmethod
    def translate_str(cls, val):
        return json.dumps(val, ensure_ascii=False)  # JSON's escapes are Go's

    @classmethod
    def translate_none(cls, val):
        return "nil"

    @classmethod
    def translate_float(cls, val):
        if val != val:
            return "math.NaN()"
        if val in (float("inf"), float("-inf")):
            return "math.Inf(%d)" % (1 if val > 0 else -1)
        if val == 0 and math.copysign(1, val) < 0:
            return "math.Copysign(0, -1)"  # Go's constants have no -0
        return repr(val)

    @classmethod
    def translate_list(cls, val):
        return "[]%s{%s}" % (cls.element(val), ", ".join(map(cls.translate, val)))

    @classmethod
    def translate_dict(cls, val):
        pairs = ("%s: %s" % (cls.translate_str(str(k)), cls.translate(v)) for k, v in val.items())
        return "map[string]%s{%s}" % (cls.element(val.values()), ", ".join(pairs))

    @classmethod
    def element(cls, values):
        """The type of elements that all of the values can have."""
        kinds = {type(v) for v in values}
        if kinds == {int, float}:
            kinds = {float}
        return {bool: "bool", int: "int", float: "float64", str: "string"}.get(kinds.pop(), "any") if len(kinds) == 1 else "any"

    @classmethod
    def comment(cls, cmt_str):
        return "// " + cmt_str

    @classmethod
    def assign(cls, name, str_val):
        if name in cls.declared:
            return "%s = %s" % (name, str_val)
        if str_val == cls.translate_none(None):
            return "var %s any" % name
        return "%s := %s" % (name, str_val)

    @classmethod
    def codify(cls, parameters, comment="Parameters"):
        try:
            return super().codify(parameters, comment)
        finally:
            cls.declared = set()  # the next notebook may have no such cell

    @classmethod
    def inspect(cls, parameters_cell):
        found = []
        for short, var, value in DECLARED.findall(parameters_cell["source"]):
            found += [Parameter(name.strip(), "None", value, "") for name in (short or var).split(",")]
        cls.declared = {p.name for p in found}
        return found


class Engine(NBClientEngine):
    """papermill's own engine. That it is an entry point (papermill.engine) makes papermill import this file."""


papermill_translators.register("gorocm", Go)
papermill_translators.register("go", Go)

if __name__ == "__main__":
    from papermill.cli import papermill

    papermill()
