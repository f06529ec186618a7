package widgets

import (
	"slices"
	"strconv"
)

// Button is something to click.
type Button struct{ *Widget }

// NewButton makes a button with a text on it.
func NewButton(text string) *Button {
	b := &Button{newWidget(controls, "Button", "ButtonStyle", map[string]any{
		"description": text, "disabled": false, "tooltip": nil, "icon": "", "button_style": ""})}
	b.m.text = func() string { return "[ " + b.m.get("description").(string) + " ]" }
	return b
}

// SetStyle colours the button: "" or "primary", "success", "info", "warning", "danger".
func (b *Button) SetStyle(style string) { b.m.set("button_style", style) }

// OnClick says what is called for every click.
func (b *Button) OnClick(f func()) {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	b.m.custom = func(content map[string]any) {
		if content["event"] == "click" {
			f()
		}
	}
}

// Checkbox is something that is on or off.
type Checkbox struct{ *Widget }

// NewCheckbox makes a box with a text beside it.
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

// Value reports whether the box is on.
func (c *Checkbox) Value() bool { return c.m.get("value").(bool) }

// SetValue turns the box on or off.
func (c *Checkbox) SetValue(on bool) { c.m.set("value", on) }

// OnChange says what is called with the new value when somebody clicks the box.
func (c *Checkbox) OnChange(f func(on bool)) { c.m.onChange("value", func(v any) { f(v.(bool)) }) }

// Dropdown is a choice of one of several texts.
type Dropdown struct {
	*Widget
	options []string
}

// NewDropdown makes a choice, of which the first is chosen.
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

// Value is what is chosen; empty when there is nothing to choose from.
func (d *Dropdown) Value() string { return d.at(d.Index()) }

// Index is the number of what is chosen, from 0; -1 when there is nothing to choose from.
func (d *Dropdown) Index() int { return d.m.get("index").(int) }

func (d *Dropdown) at(i int) string {
	if i < 0 || i >= len(d.options) {
		return ""
	}
	return d.options[i]
}

// SetValue chooses a text. One that is not among the options changes nothing.
func (d *Dropdown) SetValue(text string) {
	if i := slices.Index(d.options, text); i >= 0 {
		d.m.set("index", i)
	}
}

// OnChange says what is called with the text that somebody has chosen.
func (d *Dropdown) OnChange(f func(value string)) {
	d.m.onChange("index", func(v any) { f(d.at(v.(int))) })
}

// Text is a line to write in.
type Text struct{ *Widget }

// NewText makes a line with a text in it.
func NewText(value string) *Text {
	t := &Text{newWidget(controls, "Text", "TextStyle", map[string]any{
		"value": value, "description": "", "disabled": false, "tooltip": nil, "placeholder": "",
		"continuous_update": true})}
	t.m.text = func() string { return t.describe("%s", strconv.Quote(t.Value())) }
	return t
}

// Value is what stands in the line.
func (t *Text) Value() string { return t.m.get("value").(string) }

// SetValue changes what stands in the line.
func (t *Text) SetValue(text string) { t.m.set("value", text) }

// SetPlaceholder changes what stands in the line while it is empty.
func (t *Text) SetPlaceholder(text string) { t.m.set("placeholder", text) }

// SetContinuous says whether the value changes with every key, or only when the line is left.
func (t *Text) SetContinuous(continuous bool) { t.m.set("continuous_update", continuous) }

// OnChange says what is called with the new text when somebody changes it.
func (t *Text) OnChange(f func(value string)) { t.m.onChange("value", func(v any) { f(v.(string)) }) }
