package display

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"html"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/internal/printing"
)

// MetaProgress is set in the metadata of messages that show a progress bar: ProgressRuns, or ProgressDone with the last
// of a bar's messages. Terminals keep bars below what a cell prints, and files get their last state only.
const MetaProgress = "gorocm.progress"

// The values of MetaProgress.
const (
	ProgressRuns = "runs"
	ProgressDone = "done"
)

// progressEvery is the shortest time between updates of a bar.
const progressEvery = 100 * time.Millisecond

// progressWidth is the width of a bar in characters.
const progressWidth = 30

// leastProgress is its width in narrow terminals, which may cost the rate its place.
const leastProgress = 8

// progressDepth counts the visible bars: inner ones are removed when they are full.
var progressDepth atomic.Int32

// Progress counts from 0 to n-1 and shows a progress bar with the rate and the remaining time:
//
//	for epoch := range display.Progress(100, "epochs") { … }
//
// Bars can be nested; an inner one is removed when its loop ends. A loop that is left early keeps its bar. The
// description is optional. With n less than 1 the loop does not run and no bar is shown.
func Progress(n int, description ...string) iter.Seq[int] {
	return func(yield func(int) bool) {
		if n < 1 {
			return
		}
		p := &progress{n: n, name: strings.Join(description, " "), start: time.Now(), inner: progressDepth.Add(1) > 1}
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		p.id = hex.EncodeToString(b[:])
		p.show(KindDisplay, ProgressRuns)
		defer func() { // also when the loop's body panics, or the cell is interrupted
			progressDepth.Add(-1)
			p.show(KindUpdate, ProgressDone)
		}()
		for i := range n {
			if !yield(i) {
				return
			}
			p.done = i + 1
			if p.done < n && time.Since(p.drawn) >= progressEvery {
				p.show(KindUpdate, ProgressRuns)
			}
		}
	}
}

// progress is one bar.
type progress struct {
	n, done      int
	name, id     string
	start, drawn time.Time
	inner        bool
}

func (p *progress) show(kind, state string) {
	p.drawn = time.Now()
	if state == ProgressRuns && !published() {
		return // in a program that is not a session, only what has become of it is written
	}
	b := Bundle{MIMEText: p.text(), MIMEHTML: p.html()}
	if state == ProgressDone && p.inner && p.done == p.n {
		b = Bundle{MIMEText: "", MIMEHTML: ""}
	}
	send(Message{Kind: kind, Data: b, ID: p.id, Meta: map[string]any{MetaProgress: state}})
}

// published reports whether messages go to a session.
func published() bool {
	publisher.Lock()
	defer publisher.Unlock()
	return publisher.publish != nil
}

// text is the bar for terminals: epochs  40% ████████████░░░░ 40/100 · 12.5/s · 4.8 s left.
func (p *progress) text() string {
	head := fmt.Sprintf("%3d%% ", p.done*100/p.n)
	if p.name != "" {
		head = p.name + " " + head
	}
	facts, width := " "+p.facts(true), progressWidth
	if columns := printing.Columns(); columns > 0 { // of a narrow terminal the last one stays free
		room := func() int { return columns - 1 - textWidth(head) - textWidth(facts) }
		if room() < leastProgress {
			facts = " " + p.facts(false)
		}
		width = max(leastProgress, min(width, room()))
	}
	full := p.done * width / p.n
	return head + strings.Repeat("█", full) + strings.Repeat("░", width-full) + facts
}

func (p *progress) html() string {
	return fmt.Sprintf(`<div style="display:flex;gap:0.7em;align-items:center"><span>%s</span><progress value="%d" max="%d"></progress><span>%d%% %s</span></div>`,
		html.EscapeString(p.name), p.done, p.n, p.done*100/p.n, html.EscapeString(p.facts(true)))
}

// facts returns the progress, the rate if it is wanted, and the estimated remaining time, or the total time.
func (p *progress) facts(withRate bool) string {
	text := fmt.Sprintf("%d/%d", p.done, p.n)
	spent := p.drawn.Sub(p.start)
	if p.done == 0 || spent <= 0 {
		return text
	}
	rate := float64(p.done) / spent.Seconds()
	switch {
	case !withRate:
	case rate >= 1 || p.done == 0:
		text += fmt.Sprintf(" · %.3g/s", rate)
	default:
		text += " · " + pace(time.Duration(float64(time.Second)/rate)) + " each"
	}
	if p.done < p.n {
		return text + " · " + pace(time.Duration(float64(p.n-p.done)/rate*float64(time.Second))) + " left"
	}
	return text + " · " + pace(spent)
}

// pace formats a time with its significant digits.
func pace(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
