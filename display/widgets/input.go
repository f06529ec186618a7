package widgets

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/display/comm"
)

// Button is a button to click.
type Button struct{ *Widget }

// NewButton makes a button with a caption.
func NewButton(text string) *Button {
	b := &Button{newWidget(controls, "Button", "ButtonStyle", map[string]any{
		"description": text, "disabled": false, "icon": "", "button_style": ""})}
	b.m.text = func() string { return "[ " + b.m.get("description").(string) + " ]" }
	return b
}

// SetStyle colours the button: "" or "primary", "success", "info", "warning", "danger".
func (b *Button) SetStyle(style string) { b.m.set("button_style", style) }

// OnClick registers a function that is called for every click.
func (b *Button) OnClick(f func()) {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	b.m.custom = func(m comm.Message) {
		if m.Data["event"] == "click" {
			f()
		}
	}
}

// Checkbox is a box that is on or off.
type Checkbox struct{ field[bool] }

// NewCheckbox makes a checkbox with a description.
func NewCheckbox(on bool, text string) *Checkbox {
	c := &Checkbox{newField(described("Checkbox", "CheckboxStyle", map[string]any{
		"value": on, "description": text, "disabled": false, "indent": false}), on)}
	c.m.text = func() string { return mark(c.Value()) + " " + c.m.get("description").(string) }
	return c
}

func mark(on bool) string {
	if on {
		return "[x]"
	}
	return "[ ]"
}

// ToggleButton is a button that is pressed or not.
type ToggleButton struct{ field[bool] }

// NewToggleButton makes a button with a caption that stays pressed until it is clicked again.
func NewToggleButton(on bool, text string) *ToggleButton {
	b := &ToggleButton{newField(described("ToggleButton", "ToggleButtonStyle", map[string]any{
		"value": on, "description": text, "disabled": false, "icon": "", "button_style": ""}), on)}
	b.m.text = func() string { return mark(b.Value()) + " " + b.m.get("description").(string) }
	return b
}

// SetStyle colours the button: "" or "primary", "success", "info", "warning", "danger".
func (b *ToggleButton) SetStyle(style string) { b.m.set("button_style", style) }

// Valid is a sign that shows whether something is valid. The user cannot change it.
type Valid struct{ field[bool] }

// NewValid makes a sign with a text that is shown while it is invalid.
func NewValid(valid bool, text string) *Valid {
	v := &Valid{newField(described("Valid", "DescriptionStyle", map[string]any{
		"value": valid, "readout": text, "disabled": false}), valid)}
	v.m.text = func() string {
		if v.Value() {
			return v.describe("valid")
		}
		return v.describe("%s", v.m.get("readout"))
	}
	return v
}

// Text is a field for text.
type Text struct{ field[string] }

// NewText makes a field of one line with an initial text.
func NewText(value string) *Text { return newText("Text", value, nil) }

// NewTextarea makes a field of several lines with an initial text.
func NewTextarea(value string) *Text { return newText("Textarea", value, map[string]any{"rows": nil}) }

// NewPassword makes a field of one line that hides what is typed. The text is sent and kept as it is.
func NewPassword(value string) *Text { return newText("Password", value, nil) }

// NewCombobox makes a field of one line that suggests options. Any other text is accepted too.
func NewCombobox(value string, options ...string) *Text {
	return newText("Combobox", value, map[string]any{"options": append([]string{}, options...), "ensure_option": false})
}

func newText(class, value string, more map[string]any) *Text {
	t := &Text{newField(described(class, "TextStyle", map[string]any{
		"value": value, "disabled": false, "placeholder": "\u200b", "continuous_update": true}, more), value)}
	t.m.text = func() string {
		if class == "Password" {
			return t.describe("%q", strings.Repeat("•", len([]rune(t.Value()))))
		}
		return t.describe("%s", strconv.Quote(t.Value()))
	}
	return t
}

// SetPlaceholder changes the text that is shown while the field is empty.
func (t *Text) SetPlaceholder(text string) { t.m.set("placeholder", text) }

// SetContinuous sets whether the value changes with every key, or only when the field loses the focus.
func (t *Text) SetContinuous(continuous bool) { t.m.set("continuous_update", continuous) }

// ColorPicker is a choice of a colour.
type ColorPicker struct{ field[string] }

// NewColorPicker makes a choice of a colour in CSS: "#rgb", "#rrggbb" or a name such as "teal". It panics if the
// colour is none of these.
func NewColorPicker(color string) *ColorPicker {
	c := &ColorPicker{newField(described("ColorPicker", "DescriptionStyle", map[string]any{
		"value": color, "disabled": false, "concise": false}), color)}
	c.must(isColor)
	c.SetValue(color)
	c.m.text = func() string { return c.describe("%s", c.Value()) }
	return c
}

var colors = regexp.MustCompile(`^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]+)$`)

func isColor(_ map[string]any, color string) error {
	if !colors.MatchString(color) {
		return fmt.Errorf("%q is not a colour: write it as #rgb, #rrggbb or by a name of CSS", color)
	}
	return nil
}
