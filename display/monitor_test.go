package display

import (
	"strings"
	"testing"
)

// TestMonitor: a bar with the last numbers while it goes on, charts at the end.
func TestMonitor(t *testing.T) {
	var got []Message
	SetPublisher(func(m Message) { got = append(got, m) })
	defer SetPublisher(nil)
	m := NewMonitor("training")
	for i := range 4 {
		m.Update(i+1, 8, map[string]float64{"loss": 1 / float64(i+1)})
	}
	m.Update(4, 8, map[string]float64{"accuracy": 0.5, "validation loss": 0.3})
	m.Update(5, 8, map[string]float64{"accuracy": 0.75, "validation loss": 0.2})
	m.End()
	m.End()
	m.Update(6, 8, nil)
	got = withoutTicks(got)
	if len(got) != 2 || got[0].Kind != KindDisplay || got[0].ID != got[1].ID {
		t.Fatalf("messages %v", got)
	}
	first, last := got[0].Data, got[1].Data
	if !strings.HasPrefix(first[MIMEText], "training  12% ███░") || !strings.HasSuffix(first[MIMEText], " · loss 1") {
		t.Error(first[MIMEText])
	}
	if got[0].Meta[MetaProgress] != ProgressRuns || got[1].Meta[MetaProgress] != ProgressDone {
		t.Error(got[0].Meta, got[1].Meta)
	}
	bar, charts, _ := strings.Cut(last[MIMEText], "\n")
	if !strings.HasPrefix(bar, "training  62% ") || !strings.HasSuffix(bar, " · loss 0.25 · accuracy 0.75 · validation loss 0.2") {
		t.Error(bar)
	}
	if n := strings.Count(last[MIMEHTML], "<svg"); n != 2 || !strings.Contains(last[MIMEHTML], "validation loss") ||
		!strings.Contains(charts, "accuracy") {
		t.Errorf("%d charts: %s", n, charts)
	}
}

// TestMonitorOfProgram: outside of a session only the end is printed, and nothing without numbers.
func TestMonitorOfProgram(t *testing.T) {
	m := NewMonitor()
	m.End()
	if m.begun {
		t.Error("a monitor without numbers has shown something")
	}
}
