package display

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"

	"github.com/gorocm/gorocm/internal/printing"
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

// A bar fits into a narrow terminal: it is shorter first, then the rate is left out.
func TestProgressNarrow(t *testing.T) {
	defer printing.SetColumns(printing.Columns())
	now := time.Now()
	p := &progress{n: 20, done: 10, name: "epochs", start: now.Add(-time.Second), drawn: now}
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "epochs  50% ███████████████░░░░░░░░░░░░░░░ 10/20 · 10/s · 1.0 s left"},
		{80, "epochs  50% ███████████████░░░░░░░░░░░░░░░ 10/20 · 10/s · 1.0 s left"},
		{50, "epochs  50% █████░░░░░░ 10/20 · 10/s · 1.0 s left"},
		{40, "epochs  50% ████░░░░ 10/20 · 1.0 s left"},
		{20, "epochs  50% ████░░░░ 10/20 · 1.0 s left"},
	} {
		printing.SetColumns(c.columns)
		if got := p.text(); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}

// Labels that do not fit go in equal steps, so that the rest can be read as a scale.
func TestTicksThin(t *testing.T) {
	var all []plot.Tick
	for _, label := range []string{"0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"} {
		value, _ := strconv.ParseFloat(label, 64)
		all = append(all, plot.Tick{Value: value, Label: label})
	}
	for columns, want := range map[int]string{
		60: "0        0.5       1.0       1.5      2.0       2.5      3.0",
		26: "0      1.0      2.0    3.0",
		8:  "0   2.0",
	} {
		if _, got := acrossAt(columns, [2]float64{0, 3}, false, all); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
