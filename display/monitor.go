package display

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// chartEvery is the shortest time between drawings of a monitor's charts, which take longer than a bar.
const chartEvery = 500 * time.Millisecond

// Monitor shows how something goes on that has numbers by name, such as a training: a progress bar with the last
// numbers, and charts of all of them, that of what is called a loss apart from the others. A terminal shows the bar,
// and the charts at the end.
//
//	m := display.NewMonitor("training")
//	defer m.End()
//	for step := range 1000 {
//		m.Update(step+1, 1000, map[string]float64{"loss": loss})
//	}
type Monitor struct {
	mu     sync.Mutex
	bar    progress
	begun  bool
	names  []string // in the order in which they came
	points map[string]*track
	chart  time.Time // when the charts were drawn
	html   string    // of the charts
	ended  bool
}

// track is the numbers of a name.
type track struct{ x, y []float64 }

// NewMonitor returns a Monitor that shows nothing before its first number. The title is optional.
func NewMonitor(title ...string) *Monitor {
	m := &Monitor{bar: progress{name: strings.Join(title, " "), start: time.Now()}, points: map[string]*track{}}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	m.bar.id = hex.EncodeToString(b[:])
	return m
}

// Update adds numbers of a step, counted from 1, of total, which is 0 if it is not known.
func (m *Monitor) Update(step, total int, values map[string]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if m.points[name] == nil {
			m.names, m.points[name] = append(m.names, name), &track{}
		}
		p := m.points[name]
		p.x, p.y = append(p.x, float64(step)), append(p.y, values[name])
	}
	m.bar.done, m.bar.n = step, max(step, total, 1)
	if !m.begun || time.Since(m.bar.drawn) >= progressEvery {
		m.show(ProgressRuns)
	}
}

// End shows the last state, which stays.
func (m *Monitor) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.begun && !m.ended {
		m.show(ProgressDone)
	}
	m.ended = true
}

func (m *Monitor) show(state string) {
	kind := KindUpdate
	if !m.begun {
		kind, m.begun = KindDisplay, true
	}
	m.bar.drawn = time.Now()
	if state == ProgressRuns && !published() {
		return
	}
	text := m.bar.text() + m.last()
	if state == ProgressDone || time.Since(m.chart) >= chartEvery {
		m.chart, m.html = time.Now(), ""
		for _, c := range m.charts() {
			m.html += c.SVG()
			if state == ProgressDone {
				text += "\n" + c.String()
			}
		}
	}
	html := m.bar.html() + "<div>" + m.html + "</div>"
	send(Message{Kind: kind, Data: Bundle{MIMEText: text, MIMEHTML: html}, ID: m.bar.id,
		Meta: map[string]any{MetaProgress: state}})
}

// last is the last numbers as text.
func (m *Monitor) last() string {
	var b strings.Builder
	for _, name := range m.names {
		y := m.points[name].y
		fmt.Fprintf(&b, " · %s %.4g", name, y[len(y)-1])
	}
	return b.String()
}

// charts are those with lines of two points and more.
func (m *Monitor) charts() (list []*Chart) {
	var losses, others *Chart
	for _, name := range m.names {
		p := m.points[name]
		if len(p.x) < 2 {
			continue
		}
		of := &others
		if strings.Contains(strings.ToLower(name), "loss") {
			of = &losses
		}
		if *of == nil {
			*of = newChart().XLabel("step").Size(440, 260)
		}
		(*of).Line(p.x, p.y).Label(name)
	}
	for _, c := range []*Chart{losses, others} {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}
