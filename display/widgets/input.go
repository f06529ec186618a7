package widgets

import (
	"slices"
	"strconv"
)

// Button is a button to click.
type Button struct{ *Widget }

// NewButton makes a button with a caption.
func NewButton(text string) *Button {
	b := &Button{newWidget(controls, "Button", "ButtonStyle", map[string]any{
		"description": text, "disabled": false, "tooltip": nil, "icon": "", "button_style": ""})}
	b.m.text = func() string { return "[ " + b.m.get("description").(string) + " ]" }
	return b
}

// SetStyle colours the button: "" or "primary", "success", "info", "warning", "danger".
func (b *Button) SetStyle(style string) { b.m.set("button_style", style) }

// OnClick registers a function that is called for every click.
func (b *Button) OnClick(f func()) {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	b.m.custom = func(content map[string]any) {
		if content["event"] == "click" {
			f()
		}
	}
}

// Checkbox is a box that is on or off.
type Checkbox struct{ *Widget }

// NewCheckbox makes a checkbox with a description.
func NewCheckbox(on bool, text string) *Checkbox {
	c := &Checkbox{newWidget(controls, "Checkbox", "CheckboxStyle", map[string]any{
		"value": on, "description": text, "disabled": false, "tooltip": nil, "indent": false})}
	c.m.text = func() string {
		if c.Value() {
			return "[x] " + c.m.get("description").(string)
		}
		return "[ ] " + c.m.get("description").(string)
	}
	return c
}

// Value reports whether the box is checked.
func (c *Checkbox) Value() bool { return c.m.get("value").(bool) }

// SetValue checks or unchecks the box.
func (c *Checkbox) SetValue(on bool) { c.m.set("value", on) }

// OnChange registers a function that is called with the new value when the user clicks the box.
func (c *Checkbox) OnChange(f func(on bool)) { c.m.onChange("value", func(v any) { f(v.(bool)) }) }

// Dropdown is a choice of one of several texts.
type Dropdown struct {
	*Widget
	options []string
}

// NewDropdown makes a choice with the first option selected.
func NewDropdown(options ...string) *Dropdown {
	d := &Dropdown{options: slices.Clone(options)}
	index := 0
	if len(options) == 0 {
		index = -1
	}
	d.Widget = newWidget(controls, "Dropdown", "DescriptionStyle", map[string]any{
		"_options_labels": d.options, "index": index, "description": "", "disabled": false, "tooltip": nil})
	d.m.text = func() string { return d.describe("%q of %q", d.Value(), d.options) }
	return d
}

// Value is the selected text; empty without options.
func (d *Dropdown) Value() string { return d.at(d.Index()) }

// Index is the index of the selected option, from 0; -1 without options.
func (d *Dropdown) Index() int { return d.m.get("index").(int) }

func (d *Dropdown) at(i int) string {
	if i < 0 || i >= len(d.options) {
		return ""
	}
	return d.options[i]
}

// SetValue selects an option. A text that is not among the options changes nothing.
func (d *Dropdown) SetValue(text string) {
	if i := slices.Index(d.options, text); i >= 0 {
		d.m.set("index", i)
	}
}

// OnChange registers a function that is called with the text that the user has selected.
func (d *Dropdown) OnChange(f func(value string)) {
	d.m.onChange("index", func(v any) { f(d.at(v.(int))) })
}

// Text is a text field of one line.
type Text struct{ *Widget }

// NewText makes a text field with an initial text.
func NewText(value string) *Text {
	t := &Text{newWidget(controls, "Text", "TextStyle", map[string]any{
		"value": value, "description": "", "disabled": false, "tooltip": nil, "placeholder": "",
		"continuous_update": true})}
	t.m.text = func() string { return t.describe("%s", strconv.Quote(t.Value())) }
	return t
}

// Value is the text of the field.
func (t *Text) Value() string { return t.m.get("value").(string) }

// SetValue changes the text of the field.
func (t *Text) SetValue(text string) { t.m.set("value", text) }

// SetPlaceholder changes the text that is shown while the field is empty.
func (t *Text) SetPlaceholder(text string) { t.m.set("placeholder", text) }

// SetContinuous sets whether the value changes with every key, or only when the field loses the focus.
func (t *Text) SetContinuous(continuous bool) { t.m.set("continuous_update", continuous) }

// OnChange registers a function that is called with the new text when the user changes it.
func (t *Text) OnChange(f func(value string)) { t.m.onChange("value", func(v any) { f(v.(string)) }) }
