package repl

import "testing"

func TestNotebook(t *testing.T) {
	quiet := Event{Kind: Notice, Text: "a < b\n"}.Notebook()
	if quiet.Kind != Display || quiet.Data.Text() != "a < b" ||
		quiet.Data["text/html"] != `<small style="opacity: 0.6; white-space: pre-wrap">a &lt; b</small>` {
		t.Errorf("%+v", quiet)
	}
	loud := Event{Kind: Notice, Name: "stderr", Text: "it died"}.Notebook()
	if loud.Kind != Stream || loud.Name != "stderr" || loud.Text != "it died\n" {
		t.Errorf("%+v", loud)
	}
	other := Event{Kind: Stream, Name: "stdout", Text: "x"}.Notebook()
	if other.Kind != Stream || other.Name != "stdout" || other.Text != "x" {
		t.Errorf("%+v", other)
	}
}
