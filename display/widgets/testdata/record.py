"""Records in ipywidgets.json beside this file the states that ipywidgets sends, for TestStates.

    pip install ipywidgets==8.1.9 anywidget==0.11.0 && python3 display/widgets/testdata/record.py
"""

import datetime
import json
import pathlib

import anywidget
import ipywidgets as w

ab = {"options": ["a", "b"]}
png = b"\x89PNG"


class Own(anywidget.AnyWidget):
    _esm = "export default {}"
    _css = "b {}"


made = {
    "Button": w.Button(description="go"), "Checkbox": w.Checkbox(True, description="on", indent=False), "ToggleButton": w.ToggleButton(True, description="on"),
    "Valid": w.Valid(True, readout="no"), "Text": w.Text("x"), "Textarea": w.Textarea("x"), "Password": w.Password("x"),
    "Combobox": w.Combobox("x", **ab), "ColorPicker": w.ColorPicker(value="teal"), "IntSlider": w.IntSlider(3, min=0, max=10),
    "FloatSlider": w.FloatSlider(value=0.5, min=0, max=1, step=0.01), "FloatLogSlider": w.FloatLogSlider(value=10, min=-1, max=2), "IntText": w.IntText(3),
    "FloatText": w.FloatText(0.5), "BoundedIntText": w.BoundedIntText(3, min=0, max=10), "BoundedFloatText": w.BoundedFloatText(0.5, min=0, max=1),
    "IntRangeSlider": w.IntRangeSlider(value=[2, 3], min=0, max=10), "FloatRangeSlider": w.FloatRangeSlider(value=[0.25, 0.5], min=0, max=1, step=0.01),
    "Play": w.Play(value=3, min=0, max=10), "IntProgress": w.IntProgress(3, min=0, max=10), "FloatProgress": w.FloatProgress(0.5, min=0, max=1),
    "Dropdown": w.Dropdown(index=0, **ab), "Dropdown empty": w.Dropdown(), "RadioButtons": w.RadioButtons(index=0, **ab), "Select": w.Select(index=0, **ab),
    "ToggleButtons": w.ToggleButtons(**ab), "SelectionSlider": w.SelectionSlider(**ab), "SelectMultiple": w.SelectMultiple(index=[1], **ab),
    "DatePicker": w.DatePicker(value=datetime.date(2026, 2, 3)), "DatePicker empty": w.DatePicker(),
    "TimePicker": w.TimePicker(value=datetime.time(1, 2, 3, 4000)), "TimePicker empty": w.TimePicker(),
    "DatetimePicker": w.NaiveDatetimePicker(value=datetime.datetime(2026, 2, 3, 4, 5, 6, 7000)), "DatetimePicker empty": w.NaiveDatetimePicker(),
    "FileUpload": w.FileUpload(accept=".csv"), "Image": w.Image(value=png), "Label": w.Label("x"), "HTML": w.HTML("x"), "HTMLMath": w.HTMLMath("x"),
    "Output": w.Output(), "HBox": w.HBox(), "VBox": w.VBox(), "GridBox": w.GridBox(), "Tab": w.Tab([w.Label()]), "Accordion": w.Accordion([w.Label()], titles=["t"]),
    "Stack": w.Stack([w.Label()]), "Link": w.jslink((w.Text(), "value"), (w.Label(), "value")), "LinkOneWay": w.jsdlink((w.Text(), "value"), (w.Label(), "value")),
    "Own": Own(), "SelectionRangeSlider": w.SelectionRangeSlider(options=["a", "b", "c"], index=(1, 2)), "TagsInput": w.TagsInput(value=["a"], allowed_tags=["a", "b"]),
    "ColorsInput": w.ColorsInput(value=["red"]), "FloatsInput": w.FloatsInput(value=[1.5]), "IntsInput": w.IntsInput(value=[1, 2]), "Audio": w.Audio(value=png),
    "Video": w.Video(value=png), "Controller": w.Controller(), "Box": w.Box(), "ZonedDatetimePicker empty": w.DatetimePicker(),
    "ZonedDatetimePicker": w.DatetimePicker(value=datetime.datetime(2026, 2, 3, 4, 5, 6, 7000, datetime.timezone.utc)),
}


def template(box):
    """The layout of a template, with the areas of its widgets."""
    return [box.layout.grid_template_areas, box.layout.grid_template_columns, box.layout.grid_template_rows, [c.layout.grid_area for c in box.children]]


def parts(names, mask):
    return {name: w.Label(name) for i, name in enumerate(names) if mask >> i & 1}


spec = w.GridspecLayout(3, 2)
spec[0, :], spec[1:, 0] = w.Label("a"), w.Label("b")
templates = {
    "AppLayout": [template(w.AppLayout(**parts(["header", "left_sidebar", "center", "right_sidebar", "footer"], i))) for i in range(32)],
    "TwoByTwoLayout": [template(w.TwoByTwoLayout(**parts(["top_left", "top_right", "bottom_left", "bottom_right"], i))) for i in range(16)],
    "GridspecLayout": [template(spec)],
}


def plain(v):
    """A state without what is new in every session."""
    if isinstance(v, (memoryview, bytes)):
        return {"bytes": len(v)}
    if isinstance(v, str) and v.startswith("IPY_MODEL_"):
        return "IPY_MODEL_"
    if isinstance(v, dict):
        return {k: plain(x) for k, x in sorted(v.items())}
    return [plain(x) for x in v] if isinstance(v, (list, tuple)) else v


states = {name: plain(m.get_state()) for name, m in made.items()}
styles = {m.style._model_name: sorted(k for k in m.style.get_state() if not k.startswith("_")) for m in made.values() if hasattr(m, "style")}
layout = sorted(k for k in w.Layout().get_state() if not k.startswith("_"))
lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in {**states, "templates": templates, "Layout": layout, "styles": styles}.items()]
pathlib.Path(__file__).with_name("ipywidgets.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
