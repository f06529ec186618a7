"""Records what Python's Jinja makes of chat templates, with the settings of Hugging Face's transformers, in golden.json.

    pip install transformers jinja2 && python3 golden.py            # the templates and expressions of this folder
    pip install transformers jinja2 && python3 golden.py FOLDER     # the templates (*.jinja) of another one

A text is recorded, or that there is an error.
"""
import copy
import datetime
import glob
import json
import os
import sys

import transformers.utils.chat_template_utils as chat

here = os.path.dirname(os.path.abspath(__file__))


class Then(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2025, 3, 9, 14, 5, 7)


chat.datetime = Then
tool = {"type": "function", "function": {"name": "weather", "description": "Get the \"weather\" <b> & é", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "description": "A city"}, "days": {"type": "integer", "enum": [1, 2, 3]}, "units": {"type": ["string", "null"]}},
    "required": ["city"]}, "return": {"type": "number", "description": "it"}}}
now = {"type": "function", "function": {"name": "now", "description": "the time", "parameters": {"type": "object", "properties": {}}}}
call = {"role": "assistant", "content": "", "tool_calls": [{"id": "abcdefghi", "type": "function", "function": {"name": "weather", "arguments": {"city": "Zürich", "days": 2}}}]}
textual = {"role": "assistant", "content": None, "tool_calls": [{"id": "abcdefghi", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Zürich\"}"}}]}
answer = {"role": "tool", "name": "weather", "tool_call_id": "abcdefghi", "content": "{\"t\": 20.5}"}
user = {"role": "user", "content": "Hi <there> & 'you'"}
chats = {
    "user": dict(messages=[user]),
    "system": dict(messages=[{"role": "system", "content": " Be brief. "}, {"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\n2"},
                             {"role": "user", "content": "and\n more? "}]),
    "no prompt": dict(messages=[user, {"role": "assistant", "content": "Yo"}], add_generation_prompt=False),
    "tools": dict(messages=[{"role": "system", "content": "S"}, user], tools=[tool, now]),
    "tools alone": dict(messages=[user], tools=[tool]),
    "called": dict(messages=[user, call, answer, {"role": "assistant", "content": "Warm."}, {"role": "user", "content": "ok"}], tools=[tool]),
    "called in text": dict(messages=[user, textual, answer], tools=[tool]),
    "two answers": dict(messages=[user, {**call, "tool_calls": call["tool_calls"] * 2}, answer, answer], tools=[tool]),
    "no thinking": dict(messages=[user], enable_thinking=False),
    "two users": dict(messages=[user, user]),
    "parts": dict(messages=[{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}]),
    "own role": dict(messages=[user, {"role": "critic", "content": "no"}]),
    "none": dict(messages=[]),
}


def record(source, variables):
    try:
        return {"text": chat._compile_jinja_template(source).render(**copy.deepcopy(variables))}
    except Exception as e:  # of any kind: it is an error
        return {"error": f"{type(e).__name__}: {e}"[:80]}


folder = sys.argv[1] if len(sys.argv) > 1 else here
out, variables = [], {}
for name, case in chats.items():
    variables[name] = {"tools": None, "documents": None, "add_generation_prompt": True, **case, "bos_token": "<s>", "eos_token": "</s>"}
for file in sorted(glob.glob(folder + "/*.jinja")):
    for name in chats:
        out.append({"template": os.path.basename(file), "name": name, **record(open(file).read(), variables[name])})
if folder == here:
    v = {"n": 7, "x": -2.5, "s": "Hello, World", "u": " été ß\t", "l": [3, 1, 2], "d": {"b": 1, "a": [None, True], "items": "own"}, "t": True, "none": None,
         "m": [{"role": "user", "content": "a b", "k": {"z": 1}}, {"role": "tool", "content": None}, {"role": "User", "content": "C", "k": {"z": 0}}], "e": []}
    variables[""] = v
    for source in open(here + "/expressions.txt").read().rstrip("\n").split("\n%%\n"):
        out.append({"source": source, "name": "", **record(source, v)})
with open(folder + "/golden.json", "w") as f:
    f.write('{"variables": ' + json.dumps(variables, ensure_ascii=False) + ',\n"results": [\n' + ",\n".join(json.dumps(g, ensure_ascii=False) for g in out) + "\n]}\n")
print(len(out), "results,", sum("error" in g for g in out), "errors")
