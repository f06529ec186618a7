package display

import (
	"strings"
	"testing"
)

// TestProgress: bars tell that they run and that they are done, and inner ones go.
func TestProgress(t *testing.T) {
	var got []Message
	SetPublisher(func(m Message) { got = append(got, m) })
	defer SetPublisher(nil)
	turns := 0
	for range Progress(2, "outer") {
		for range Progress(3, "in", "ner") {
			turns++
		}
	}
	for i := range Progress(4) {
		if i == 1 {
			break
		}
	}
	for range Progress(0) {
		t.Error("there is no turn")
	}
	if turns != 6 {
		t.Errorf("%d turns, want 6", turns)
	}
	want := []struct{ kind, state, text string }{
		{KindDisplay, ProgressRuns, "outer   0% ░░░░░░░░░░"}, {KindDisplay, ProgressRuns, "in ner   0% ░"},
		{KindUpdate, ProgressDone, ""},
		{KindDisplay, ProgressRuns, "in ner   0% ░"}, {KindUpdate, ProgressDone, ""},
		{KindUpdate, ProgressDone, "outer 100% ██████████████████████████████ 2/2 · "},
		{KindDisplay, ProgressRuns, "  0% ░"}, {KindUpdate, ProgressDone, " 25% ███████░"},
	}
	got = withoutTicks(got)
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		text := got[i].Data[MIMEText]
		if got[i].Kind != w.kind || got[i].Meta[MetaProgress] != w.state || !strings.HasPrefix(text, w.text) ||
			w.text == "" && text != "" {
			t.Errorf("message %d is %v, want %v", i, got[i], w)
		}
	}
	if got[0].ID == got[1].ID || got[0].ID != got[5].ID {
		t.Error("bars are not told apart")
	}
}

// withoutTicks leaves out the updates in between, which come when a loop takes long.
func withoutTicks(list []Message) (out []Message) {
	for _, m := range list {
		if m.Kind != KindUpdate || m.Meta[MetaProgress] != ProgressRuns {
			out = append(out, m)
		}
	}
	return out
}

// TestProgressPanics: a bar ends with its loop, however that ends.
func TestProgressPanics(t *testing.T) {
	var last Message
	SetPublisher(func(m Message) { last = m })
	defer SetPublisher(nil)
	func() {
		defer func() { _ = recover() }()
		for range Progress(2, `<a>`) {
			panic("stop")
		}
	}()
	if last.Meta[MetaProgress] != ProgressDone || progressDepth.Load() != 0 {
		t.Errorf("the bar goes on: %v", last)
	}
	if html := last.Data[MIMEHTML]; strings.Contains(html, "<a>") ||
		!strings.Contains(html, `<progress value="0" max="2">`) {
		t.Errorf("%s", html)
	}
}
