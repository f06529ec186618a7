package widgets

import "fmt"

// Widget is what all widgets have in common.
type Widget struct {
	m      *model
	layout *model
}

// Child is what can stand in a box: every widget.
type Child interface{ Base() *Widget }

func newWidget(module, class, style string, state map[string]any) *Widget {
	w := &Widget{m: newModel(module, class, state)}
	w.layout = w.m.attach(style)
	return w
}

// Base is the widget itself.
func (w *Widget) Base() *Widget { return w }

// ID names the widget's model, as the front end knows it.
func (w *Widget) ID() string { return w.m.id }

// SetDescription changes the label beside the widget.
func (w *Widget) SetDescription(text string) { w.m.set("description", text) }

// SetTooltip changes what is shown when the mouse rests on the widget.
func (w *Widget) SetTooltip(text string) { w.m.set("tooltip", text) }

// SetDisabled says whether the widget can be used.
func (w *Widget) SetDisabled(disabled bool) { w.m.set("disabled", disabled) }

// SetWidth changes the width, in CSS: "50%", "300px", "auto".
func (w *Widget) SetWidth(css string) { w.layout.set("width", css) }

// SetHeight changes the height, in CSS.
func (w *Widget) SetHeight(css string) { w.layout.set("height", css) }

// SetVisible shows the widget, or hides it with its place.
func (w *Widget) SetVisible(visible bool) {
	display := "none"
	if visible {
		display = ""
	}
	w.layout.set("display", display)
}

// Close takes the widget out of the front end. It can be read and changed afterwards, which nobody sees.
func (w *Widget) Close() { w.m.close() }

// MIMEBundle is how package display shows the widget.
func (w *Widget) MIMEBundle() map[string]string { return w.m.bundle() }

// DisplayID is how package display names the widget's text where there are no widgets, so that it can be replaced.
func (w *Widget) DisplayID() string {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.m.shown = true
	w.m.remember()
	return w.m.id
}

// String is the widget as text.
func (w *Widget) String() string { return w.m.text() }

// describe is the text of a widget: its description, if it has one, and what it holds.
func (w *Widget) describe(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if d, _ := w.m.get("description").(string); d != "" {
		return d + " " + text
	}
	return text
}
