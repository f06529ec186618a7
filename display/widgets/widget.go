package widgets

import "fmt"

// Widget is the part that all widgets have in common.
type Widget struct {
	m      *model
	layout *model
	style  *model // nil where there is none
}

// Child is an element of a box: any widget.
type Child interface{ Base() *Widget }

func newWidget(module, class, style string, state map[string]any) *Widget {
	w := &Widget{m: newModel(module, class, state)}
	w.layout, w.style = w.m.attach(style)
	return w
}

// Base is the widget itself.
func (w *Widget) Base() *Widget { return w }

// ID names the widget's model, as the front end knows it.
func (w *Widget) ID() string { return w.m.id }

// SetDescription changes the label beside the widget.
func (w *Widget) SetDescription(text string) { w.m.set("description", text) }

// SetTooltip changes the text that is shown when the mouse rests on the widget.
func (w *Widget) SetTooltip(text string) { w.m.set("tooltip", text) }

// SetDisabled sets whether the widget ignores the user.
func (w *Widget) SetDisabled(disabled bool) { w.m.set("disabled", disabled) }

// SetWidth changes the width, in CSS: "50%", "300px", "auto".
func (w *Widget) SetWidth(css string) { w.layout.set("width", css) }

// SetHeight changes the height, in CSS.
func (w *Widget) SetHeight(css string) { w.layout.set("height", css) }

// SetVisible shows the widget, or hides it without leaving a gap.
func (w *Widget) SetVisible(visible bool) {
	display := "none"
	if visible {
		display = ""
	}
	w.layout.set("display", display)
}

// Close removes the widget from the front end. Reading and changing it afterwards has no visible effect.
func (w *Widget) Close() { w.m.close() }

// MIMEBundle returns the widget's bundle for package display.
func (w *Widget) MIMEBundle() map[string]string { return w.m.bundle() }

// DisplayID is the ID under which package display can replace the widget's text in front ends without widgets.
func (w *Widget) DisplayID() string {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.m.shown = true
	w.m.remember()
	return w.m.id
}

// String is the widget as text.
func (w *Widget) String() string { return w.m.text() }

// describe is the text of a widget: its description, if any, and its value.
func (w *Widget) describe(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if d, _ := w.m.get("description").(string); d != "" {
		return d + " " + text
	}
	return text
}
