package repl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// spent is how long something took: the host until it had returned, and each device by its own clock.
type spent struct {
	wall, host time.Duration
	devices    []deviceTime
	user, sys  time.Duration // of all threads
}

type deviceTime struct {
	name     string
	emulated bool
	work     time.Duration
}

// watch measures. It waits for every open device before and after.
type watch struct {
	start     time.Time
	devices   []*rocm.Device // those that can tell their time
	user, sys time.Duration
}

func startWatch() (*watch, error) {
	if err := settle(); err != nil {
		return nil, err
	}
	w := &watch{}
	for _, d := range rocm.OpenDevices() {
		switch err := d.StartTimer(); {
		case err == nil:
			w.devices = append(w.devices, d)
		case !errors.Is(err, rocm.ErrUnsupported):
			return nil, err
		}
	}
	w.user, w.sys = processorTime()
	w.start = time.Now()
	return w, nil
}

// restart begins again, without waiting for devices.
func (w *watch) restart() {
	w.user, w.sys = processorTime()
	w.start = time.Now()
}

func (w *watch) stop() (spent, error) {
	r := spent{host: time.Since(w.start)}
	err := settle()
	r.wall = time.Since(w.start)
	user, sys := processorTime()
	r.user, r.sys = user-w.user, sys-w.sys
	for _, d := range w.devices {
		work, timeErr := d.StopTimer()
		r.devices = append(r.devices, deviceTime{d.String(), d.Emulated(), work})
		if err == nil {
			err = timeErr
		}
	}
	return r, err
}

// settle waits for the host's deferred results and for every open device, one after the other.
func settle() (err error) {
	defer func() {
		if r := recover(); r != nil { // an error of work that cells have started
			e, ok := r.(*tensor.Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	tensor.CPU().Synchronize() // which defers chains of large results
	for _, d := range opened.Devices() {
		if !d.IsCPU() {
			d.Synchronize()
		}
	}
	return nil
}

// split tells host and device times, divided by n; "" when no device is open. A GPU works while the host goes on; an
// emulated device works inside the host's time.
func (p spent) split(n int) string {
	per := func(d time.Duration) string { return seconds(d.Seconds() / float64(n)) }
	var parts, emulated []string
	for _, d := range p.devices {
		if d.work == 0 { // open, and not used
			continue
		}
		if d.emulated {
			emulated = append(emulated, "emulated "+d.name+" "+per(d.work))
			continue
		}
		parts = append(parts, d.name+" "+per(d.work))
	}
	if len(parts) > 0 {
		parts = append([]string{"host " + per(p.host)}, parts...)
	}
	return strings.Join(append(parts, emulated...), ", ")
}

// begun is a context that notes when its Done is first called: what runs a cell does so when that has been compiled.
type begun struct {
	context.Context
	once sync.Once
	note func()
}

func (b *begun) Done() <-chan struct{} {
	b.once.Do(b.note)
	return b.Context.Done()
}

func (c *Call) time() *Error {
	s := c.session
	code, wrong := codeOf(c, c.Args)
	if wrong != nil {
		return wrong
	}
	w, err := startWatch()
	if err != nil {
		return c.failed(err)
	}
	ctx := context.Context(&begun{Context: c.ctx, note: w.restart})
	if onlyImports(code) {
		ctx = c.ctx // what takes the time is checking and compiling
		if m := &s.moving; m.since.IsZero() {
			m.since = w.start
		} else {
			w.start = m.since // in another program
		}
		defer func() { s.moving.since = time.Time{} }()
	}
	out := runCode(ctx, c, code)
	if s.moving.to != nil { // where it runs again
		s.conclude(out, c.reply)
		return nil
	}
	took, err := w.stop()
	s.print("CPU times: user %s, sys %s, total %s\n", seconds(took.user.Seconds()), seconds(took.sys.Seconds()),
		seconds((took.user + took.sys).Seconds()))
	wall := "Wall time: " + seconds(took.wall.Seconds())
	if parts := took.split(1); parts != "" {
		wall += " (" + parts + ")"
	}
	s.print("%s\n", wall)
	if c.reply.Err == nil && c.reply.Exit == nil {
		s.conclude(out, c.reply)
	}
	if c.reply.Err == nil && err != nil {
		return c.failed(err)
	}
	return c.reply.Err
}

// How %timeit measures, as IPython does: a run takes at least leastRun, so that the clock does not matter.
const (
	timeitRuns = 7
	leastRun   = 200 * time.Millisecond
	mostLoops  = 1_000_000_000
)

func (c *Call) timeit() *Error {
	s := c.session
	set, code, wrong := c.options("n:r:q")
	if wrong != nil {
		return wrong
	}
	loops, wrong := c.positive(set, 'n', 0)
	if wrong != nil {
		return wrong
	}
	runs, wrong := c.positive(set, 'r', timeitRuns)
	if wrong != nil {
		return wrong
	}
	setup, code := c.goCode(code)
	if strings.TrimSpace(code) == "" {
		return c.wrong("there is nothing to run")
	}
	e := s.current()
	loop, f := e.Loop(c.ctx, c.cell, setup, code)
	if f != nil {
		return toError(f)
	}
	var err error
	measure := func(n int) (took spent) {
		var w *watch
		if w, err = startWatch(); err == nil {
			loop(n)
			took, err = w.stop()
		}
		return took
	}
	var list []spent
	f = e.Call(c.ctx, func() {
		for n := 1; loops == 0 && err == nil; n *= 10 {
			if measure(n).wall >= leastRun || n >= mostLoops {
				loops = n
			}
		}
		for range runs {
			if err != nil {
				return
			}
			list = append(list, measure(loops))
		}
	})
	switch {
	case f != nil && f.Name == "Exit":
		code, _ := strconv.Atoi(f.Message)
		c.reply.Exit = &code
		return nil
	case f != nil:
		return toError(f)
	case err != nil:
		return c.failed(err)
	}
	if _, quiet := set['q']; !quiet {
		s.print("%s", timeitText(list, loops))
	}
	return nil
}

// timeitText is the result of %timeit, in IPython's words where IPython has some.
func timeitText(list []spent, loops int) string {
	var times []float64
	best, worst, mean := math.Inf(1), 0.0, 0.0
	middle := list[0]
	for _, p := range list {
		t := p.wall.Seconds() / float64(loops)
		times = append(times, t)
		mean += t / float64(len(list))
		if t < best {
			best, middle = t, p
		}
		worst = max(worst, t)
	}
	deviation := 0.0
	for _, t := range times {
		deviation += (t - mean) * (t - mean) / float64(len(times))
	}
	text := ""
	if worst > 4*best && best > 0 && worst > 1e-6 {
		text = fmt.Sprintf("The slowest run took %.2f times longer than the fastest. This could mean that an intermediate result is being cached.\n", worst/best)
	}
	text += fmt.Sprintf("%s ± %s per loop (mean ± std. dev. of %s, %s each), best %s\n", seconds(mean),
		seconds(math.Sqrt(deviation)),
		count(len(list), "run"), count(loops, "loop"), seconds(best))
	if parts := middle.split(loops); parts != "" {
		text += "in the best run: " + parts + "\n"
	}
	return text
}

// count is a number of things, with commas: 1,000 loops.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " " + what
}

// seconds is a duration in the unit that suits it, with three digits; above a minute, in minutes and hours.
func seconds(t float64) string {
	if t >= 60 {
		d := time.Duration(t * float64(time.Second)).Round(time.Second)
		var parts []string
		for _, u := range []struct {
			name string
			size time.Duration
		}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
			if n := d / u.size; n > 0 {
				parts = append(parts, fmt.Sprintf("%d%s", n, u.name))
				d -= n * u.size
			}
		}
		return strings.Join(parts, " ")
	}
	unit, scale := "s", 1.0
	switch {
	case t <= 0:
		return "0 ns"
	case t < 1e-6:
		unit, scale = "ns", 1e9
	case t < 1e-3:
		unit, scale = "µs", 1e6
	case t < 1:
		unit, scale = "ms", 1e3
	}
	return strconv.FormatFloat(significant(t*scale), 'f', -1, 64) + " " + unit
}

// significant rounds to three digits.
func significant(x float64) float64 {
	f, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	if err != nil {
		return x
	}
	return f
}
