package widgets

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// ours are the widgets of testdata/record.py.
func ours(t *testing.T) map[string]Child {
	progress, float := NewIntProgress(3, 10), NewFloatProgress(0.5, 1)
	accordion := NewAccordion(NewLabel(""))
	accordion.SetTitles("t")
	multiple := NewSelectMultiple("a", "b")
	multiple.SetValue("b")
	own, err := NewOwn("export default {}", nil)
	if err != nil {
		t.Fatal(err)
	}
	own.SetCSS("b {}")
	between := NewSelectionRangeSlider("a", "b", "c")
	between.SetValue("c", "b")
	return map[string]Child{
		"Button": NewButton("go"), "Checkbox": NewCheckbox(true, "on"), "ToggleButton": NewToggleButton(true, "on"),
		"Valid": NewValid(true, "no"), "Text": NewText("x"), "Textarea": NewTextarea("x"), "Password": NewPassword("x"),
		"Combobox": NewCombobox("x", "a", "b"), "ColorPicker": NewColorPicker("teal"),
		"IntSlider": NewIntSlider(3, 0, 10), "FloatSlider": NewFloatSlider(0.5, 0, 1),
		"FloatLogSlider": NewFloatLogSlider(10, -1, 2), "IntText": NewIntText(3), "FloatText": NewFloatText(0.5),
		"BoundedIntText": NewBoundedIntText(3, 0, 10), "BoundedFloatText": NewBoundedFloatText(0.5, 0, 1),
		"IntRangeSlider": NewIntRangeSlider(2, 3, 0, 10), "FloatRangeSlider": NewFloatRangeSlider(0.25, 0.5, 0, 1),
		"Play": NewPlay(3, 0, 10), "IntProgress": progress, "FloatProgress": float,
		"Dropdown": NewDropdown("a", "b"), "Dropdown empty": NewDropdown(), "RadioButtons": NewRadioButtons("a", "b"),
		"Select": NewSelect("a", "b"), "ToggleButtons": NewToggleButtons("a", "b"),
		"SelectionSlider": NewSelectionSlider("a", "b"), "SelectMultiple": multiple,
		"DatePicker":           NewDatePicker(time.Date(2026, 2, 3, 0, 0, 0, 0, time.Local)),
		"DatePicker empty":     NewDatePicker(time.Time{}),
		"TimePicker":           NewTimePicker(time.Hour + 2*time.Minute + 3*time.Second + 4*time.Millisecond),
		"TimePicker empty":     NewTimePicker(-1),
		"DatetimePicker":       NewDatetimePicker(time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.Local)),
		"DatetimePicker empty": NewDatetimePicker(time.Time{}),
		"FileUpload":           NewFileUpload(".csv", false), "Image": NewImage([]byte("\x89PNG"), "png"),
		"Label": NewLabel("x"), "HTML": NewHTML("x"), "HTMLMath": NewHTMLMath("x"), "Output": NewOutput(),
		"HBox": NewHBox(), "VBox": NewVBox(), "GridBox": NewGridBox(), "Tab": NewTab(NewLabel("")),
		"Accordion": accordion, "Stack": NewStack(NewLabel("")), "Own": own,
		"SelectionRangeSlider": between, "TagsInput": NewTagsInput([]string{"a"}, "a", "b"),
		"ColorsInput": NewColorsInput([]string{"red"}), "FloatsInput": NewFloatsInput(1.5), "IntsInput": NewIntsInput(1, 2),
		"Audio": NewAudio([]byte("\x89PNG"), "mp3"), "Video": NewVideo([]byte("\x89PNG"), "mp4"),
		"Controller": NewController(0), "Box": NewBox(),
		"ZonedDatetimePicker": NewZonedDatetimePicker(
			time.Date(2026, 2, 3, 6, 5, 6, 7e6, time.FixedZone("east", 7200))),
		"ZonedDatetimePicker empty": NewZonedDatetimePicker(time.Time{}),
	}
}

// differ are the properties in which we differ from ipywidgets.
var differ = map[string][]string{
	"FloatSlider":      {"readout_format"}, // more digits
	"FloatRangeSlider": {"readout_format"},
	"Own":              {"_model_module_version", "_view_module_version", "_anywidget_id"},
}

// TestStates: every widget begins with the state that ipywidgets gives it.
func TestStates(t *testing.T) {
	raw, err := os.ReadFile("testdata/ipywidgets.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]any
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	widgets := ours(t)
	for name, w := range widgets {
		compareStates(t, name, w.Base().m, recorded[name])
		if s := w.Base().style; s != nil {
			class := s.get("_model_name").(string)
			want := recorded["styles"].(map[string]any)[class]
			if got := plain(t, styles[strings.TrimSuffix(class, "Model")]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s has %v, in ipywidgets %v", class, got, want)
			}
		}
	}
	for _, name := range []string{"Link", "LinkOneWay"} {
		a, b := NewText("x"), NewLabel("x")
		map[string]func(Child, string, Child, string){"Link": Link, "LinkOneWay": LinkOneWay}[name](a, "value", b, "value")
		compareStates(t, name, a.m.links[0], recorded[name])
	}
	for name := range recorded {
		if widgets[name] == nil && !slices.Contains([]string{"Layout", "styles", "Link", "LinkOneWay", "templates"}, name) {
			t.Errorf("%s is recorded and not compared", name)
		}
	}
	all := Layout{}
	for v, i := reflect.ValueOf(&all).Elem(), 0; i < v.NumField(); i++ {
		v.Field(i).SetString("x")
	}
	layout, _ := all.properties()
	if got := plain(t, slices.Sorted(maps.Keys(layout))); !reflect.DeepEqual(got, recorded["Layout"]) {
		t.Errorf("a layout has %v, in ipywidgets %v", got, recorded["Layout"])
	}
}

// TestTemplates: templates have the layouts that ipywidgets gives them, whichever parts are missing.
func TestTemplates(t *testing.T) {
	raw, err := os.ReadFile("testdata/ipywidgets.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Templates map[string][]any `json:"templates"`
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	parts := func(n, mask int) []Child {
		list := make([]Child, n)
		for i := range list {
			if mask>>i&1 == 1 {
				list[i] = NewLabel("")
			}
		}
		return list
	}
	for name, list := range recorded.Templates {
		for i, want := range list {
			var b *Box
			switch name {
			case "AppLayout":
				p := parts(5, i)
				b = NewAppLayout(p[0], p[1], p[2], p[3], p[4])
			case "TwoByTwoLayout":
				p := parts(4, i)
				b = NewTwoByTwoLayout(p[0], p[1], p[2], p[3])
			default:
				b = NewGridspecLayout(3, 2, Cell{Widget: NewLabel(""), Columns: 2}, Cell{Widget: NewLabel(""), Row: 1, Rows: 2})
			}
			areas := []any{}
			for _, m := range b.m.children() {
				areas = append(areas, m.parts[0].get("grid_area"))
			}
			l := b.layout
			got := []any{l.get("grid_template_areas"), l.get("grid_template_columns"), l.get("grid_template_rows"), areas}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s %05b is %q, in ipywidgets %q", name, i, got, want)
			}
		}
	}
	for _, f := range []func(){
		func() { NewGridspecLayout(0, 1) },
		func() { NewGridspecLayout(2, 2, Cell{Widget: NewLabel(""), Row: 1, Rows: 2}) },
		func() { NewGridspecLayout(1, 1, Cell{Widget: NewLabel("")}, Cell{Widget: NewLabel("")}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a grid without room does not panic")
				}
			}()
			f()
		}()
	}
}

func compareStates(t *testing.T, name string, m *model, recorded any) {
	t.Helper()
	want, _ := recorded.(map[string]any)
	state := m.copy()
	for k, v := range state {
		if b, ok := v.([]byte); ok {
			state[k] = map[string]int{"bytes": len(b)}
		}
		if list, ok := v.([]string); ok {
			list = slices.Clone(list)
			for i, s := range list {
				list[i] = anonymous(s)
			}
			state[k] = list
		}
		if s, ok := v.(string); ok {
			state[k] = anonymous(s)
		}
	}
	got := plain(t, state).(map[string]any)
	for _, k := range differ[name] {
		delete(got, k)
		delete(want, k)
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if v, ok := want[k]; !ok || !reflect.DeepEqual(got[k], v) {
			t.Errorf("%s: %s is %v, in ipywidgets %v (%v)", name, k, got[k], v, ok)
		}
	}
	for k, v := range want {
		if _, ok := got[k]; !ok {
			t.Errorf("%s: no %s, in ipywidgets %v", name, k, v)
		}
	}
}

func anonymous(s string) string {
	if strings.HasPrefix(s, "IPY_MODEL_") {
		return "IPY_MODEL_"
	}
	return s
}

// plain is v as encoding/json decodes it.
func plain(t *testing.T, v any) (out any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(raw)).Decode(&out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
