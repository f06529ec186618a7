package widgets

import (
	"fmt"
	"strings"
	"time"

	"github.com/gorocm/gorocm/display/comm"
)

// progressView is the view of both bars: unlike other classes, they have no view of their own name.
const progressView = "ProgressView"

// IntProgress is a progress bar for an integer.
type IntProgress struct{ *Widget }

// NewIntProgress makes a bar that is full at high.
func NewIntProgress(value, high int) *IntProgress {
	p := &IntProgress{described("IntProgress", "ProgressStyle", map[string]any{
		"_view_name": progressView,
		"value":      value, "min": 0, "max": high, "bar_style": "",
		"orientation": "horizontal"})}
	p.m.text = func() string {
		v, high := p.Value(), p.m.get("max").(int)
		return p.describe("%s %d/%d", bar(float64(v)/float64(max(high, 1))), v, high)
	}
	return p
}

// Value is the value of the bar.
func (p *IntProgress) Value() int { return p.m.get("value").(int) }

// SetValue moves the bar.
func (p *IntProgress) SetValue(v int) { p.m.set("value", v) }

// SetStyle colours the bar: "" or "success", "info", "warning", "danger".
func (p *IntProgress) SetStyle(style string) { p.m.set("bar_style", style) }

// FloatProgress is a progress bar for a number.
type FloatProgress struct{ *Widget }

// NewFloatProgress makes a bar that is full at high.
func NewFloatProgress(value, high float64) *FloatProgress {
	p := &FloatProgress{described("FloatProgress", "ProgressStyle", map[string]any{
		"_view_name": progressView,
		"value":      value, "min": 0.0, "max": high, "bar_style": "",
		"orientation": "horizontal"})}
	p.m.text = func() string {
		v, high := p.Value(), p.m.get("max").(float64)
		return p.describe("%s %g/%g", bar(v/high), v, high)
	}
	return p
}

// Value is the value of the bar.
func (p *FloatProgress) Value() float64 { return p.m.get("value").(float64) }

// SetValue moves the bar.
func (p *FloatProgress) SetValue(v float64) { p.m.set("value", v) }

// SetStyle colours the bar: "" or "success", "info", "warning", "danger".
func (p *FloatProgress) SetStyle(style string) { p.m.set("bar_style", style) }

// barWidth is the width of a bar in characters.
const barWidth = 30

func bar(part float64) string {
	full := 0
	if part > 0 { // and not NaN
		full = min(int(part*barWidth), barWidth)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// Progress counts from 0 to n-1 and shows a progress bar with the elapsed and the remaining time:
//
//	for epoch := range widgets.Progress(100, "epochs") { … }
//
// It shows the bar when the loop begins. A loop that is left early leaves the bar where it is, in yellow.
func Progress(n int, description string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		p, times := NewIntProgress(0, n), NewLabel(spent(0, n, 0))
		p.SetDescription(description)
		row := NewHBox(p, times)
		row.m.text = func() string {
			return p.describe("%s %s", bar(float64(p.Value())/float64(max(n, 1))),
				times.Value())
		}
		show(row)
		start, style := time.Now(), "warning"
		defer func() {
			p.SetStyle(style)
			times.SetValue(spent(p.Value(), n, time.Since(start)))
			row.touch()
			row.m.flush()
			if !comm.Connected() {
				row.m.forget()
			}
		}()
		for i := range n {
			if !yield(i) {
				return
			}
			p.SetValue(i + 1)
			if i+1 < n { // the end is told once
				times.SetValue(spent(i+1, n, time.Since(start)))
				row.touch()
			}
		}
		style = "success"
	}
}

// spent formats the elapsed and the estimated remaining time.
func spent(done, n int, d time.Duration) string {
	text := fmt.Sprintf("%d/%d, %s", done, n, short(d))
	if done > 0 && done < n {
		text += ", " + short(d/time.Duration(done)*time.Duration(n-done)) + " left"
	}
	return text
}

func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
