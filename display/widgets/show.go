package widgets

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"

	"github.com/gorocm/gorocm/display"
)

// Label is a line of text.
type Label struct{ *Widget }

// NewLabel makes a line of text.
func NewLabel(text string) *Label {
	l := &Label{described("Label", "LabelStyle", map[string]any{"value": text, "placeholder": "\u200b"})}
	l.m.text = l.Value
	return l
}

// Value is the text.
func (l *Label) Value() string { return l.m.get("value").(string) }

// SetValue changes the text.
func (l *Label) SetValue(text string) { l.m.set("value", text) }

// HTML is a widget that displays HTML.
type HTML struct{ *Widget }

// NewHTML makes a widget that displays HTML, passed on unchanged: escape untrusted text with html.EscapeString.
func NewHTML(source string) *HTML { return newHTML("HTML", source) }

// NewHTMLMath is NewHTML whose formulas between dollar signs, in LaTeX, are typeset.
func NewHTMLMath(source string) *HTML { return newHTML("HTMLMath", source) }

func newHTML(class, source string) *HTML {
	h := &HTML{described(class, class+"Style", map[string]any{"value": source, "placeholder": "\u200b"})}
	h.m.text = func() string { return strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(h.Value(), ""))) }
	return h
}

var tag = regexp.MustCompile(`<[^>]*>`)

// Value is the HTML.
func (h *HTML) Value() string { return h.m.get("value").(string) }

// SetValue changes the HTML.
func (h *HTML) SetValue(source string) { h.m.set("value", source) }

// Output is an area for output.
type Output struct{ *Widget }

// NewOutput makes an empty output area.
func NewOutput() *Output {
	o := &Output{newWidget(output, "Output", "",
		map[string]any{"outputs": []map[string]any{}, "msg_id": ""})}
	o.m.text = func() string {
		var b strings.Builder
		for _, out := range o.outputs() {
			switch data := out["data"].(type) {
			case map[string]any:
				text, _ := data[display.MIMEText].(string)
				b.WriteString(text + "\n")
			default:
				text, _ := out["text"].(string)
				b.WriteString(text)
			}
		}
		return strings.TrimRight(b.String(), "\n")
	}
	return o
}

func (o *Output) outputs() []map[string]any { return o.m.get("outputs").([]map[string]any) }

func (o *Output) add(out map[string]any) {
	before := o.outputs()
	o.m.set("outputs", append(before[:len(before):len(before)], out))
}

// Show appends values to the output.
func (o *Output) Show(v ...any) {
	for _, value := range v {
		o.add(shownOutput(value))
	}
}

// shownOutput is a value as the front end shows it.
func shownOutput(value any) map[string]any {
	data := map[string]any{}
	for mime, text := range display.Render(value) {
		data[mime] = text
		if (mime == display.MIMEJSON || strings.HasSuffix(mime, "+json")) && json.Valid([]byte(text)) {
			data[mime] = json.RawMessage(text)
		}
	}
	return map[string]any{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
}

// Print appends text to the output.
func (o *Output) Print(text string) {
	o.add(map[string]any{"output_type": "stream", "name": "stdout", "text": text})
}

// Clear removes the output.
func (o *Output) Clear() { o.m.set("outputs", []map[string]any{}) }

// show shows a widget in the middle of a cell.
func show(w any) { display.Show(w) }
