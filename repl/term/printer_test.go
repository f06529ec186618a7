package term

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gorocm/gorocm/repl"
)

// TestEndlessLine: of a line without an end only the last part is kept, for the prompt of a question.
func TestEndlessLine(t *testing.T) {
	var out bytes.Buffer
	p := &Printer{Out: &out, Err: &out}
	for range 1000 {
		p.Event(repl.Event{Kind: repl.Stream, Name: "stdout", Text: strings.Repeat("é", 100)})
	}
	if out.Len() != 1000*200 || len(p.line) > maxLine || !utf8.ValidString(p.line) {
		t.Errorf("%d bytes written, %d kept", out.Len(), len(p.line))
	}
	p.Event(repl.Event{Kind: repl.Stream, Name: "stdout", Text: "a\nName: "})
	if got := p.ask("?"); got != "Name: ?" {
		t.Errorf("prompt %q", got)
	}
}
