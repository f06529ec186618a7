package selftest

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/gorocm/gorocm/tensor/devicetest"
)

// mostFindings is how many failures of a check are reported in words.
const mostFindings = 5

// recorder takes the findings of a check. It is a devicetest.Runner.
type recorder struct {
	check   *Check
	name    string // of the case
	failed  bool
	skipped bool
	parts   bool // it ran parts, which count instead of it
}

// runCheck runs a check to its end.
func runCheck(name string, f func(devicetest.T)) Check {
	c := Check{Name: name, State: Passed}
	start := time.Now()
	r := &recorder{check: &c}
	r.do(f)
	c.Seconds = time.Since(start).Seconds()
	switch {
	case c.Failures > 0:
		c.State = Failed
	case r.skipped:
		c.State = Skipped
	}
	return c
}

// do runs f as a case, on a goroutine that Fatal can end.
func (r *recorder) do(f func(devicetest.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v", p)
			}
		}()
		f(r)
	}()
	<-done
	if r.skipped || r.parts && !r.failed {
		return
	}
	r.check.Cases++
	if r.failed {
		r.check.Failures++
	}
}

// Run runs a part of the check.
func (r *recorder) Run(name string, f func(devicetest.T)) bool {
	r.parts = true
	part := &recorder{check: r.check, name: strings.TrimPrefix(r.name+"/"+name, "/")}
	part.do(f)
	return !part.failed
}

// Helper does nothing: findings have no lines.
func (r *recorder) Helper() {}

// Error records a failure.
func (r *recorder) Error(args ...any) { r.find(fmt.Sprint(args...)) }

// Errorf records a failure.
func (r *recorder) Errorf(format string, args ...any) { r.find(fmt.Sprintf(format, args...)) }

// Fatal records a failure and ends the case.
func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

// Fatalf records a failure and ends the case.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Skip ends the case, which does not apply.
func (r *recorder) Skip(args ...any) {
	r.skipped = true
	r.note(fmt.Sprint(args...))
	runtime.Goexit()
}

func (r *recorder) find(words string) {
	r.failed = true
	r.note(words)
}

func (r *recorder) note(words string) {
	if r.name != "" {
		words = r.name + ": " + words
	}
	if len(r.check.Findings) < mostFindings {
		r.check.Findings = append(r.check.Findings, words)
	}
}
