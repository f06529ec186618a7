package repl

import (
	"html"
	"strings"

	"github.com/gorocm/gorocm/display"
)

// Notebook returns the event as a notebook keeps it. A notice becomes a display in small grey letters; one that tells
// of something that has gone wrong becomes output on stderr, which notebooks draw in red. Other events stay what they
// are.
func (e Event) Notebook() Event {
	if e.Kind != Notice {
		return e
	}
	text := strings.TrimRight(e.Text, "\n")
	if e.Name != "" {
		return Event{Kind: Stream, Name: e.Name, Text: text + "\n"}
	}
	return Event{Kind: Display, Meta: e.Meta, Data: display.Bundle{
		display.MIMEText: text,
		display.MIMEHTML: `<small style="opacity: 0.6; white-space: pre-wrap">` + html.EscapeString(text) + `</small>`,
	}}
}
