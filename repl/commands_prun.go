package repl

import (
	"bytes"
	"os"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/flame"
)

// prun runs Go and shows a CPU profile of it.
func (c *Call) prun() *Error {
	s := c.session
	set, args, wrong := c.options("o:")
	if wrong != nil {
		return wrong
	}
	file := set['o']
	code, wrong := codeOf(c, args)
	if wrong != nil {
		return wrong
	}
	p, err := golang.StartProfile(s.current(), c.cell)
	if err != nil {
		return c.failed(err)
	}
	out := runCode(c.ctx, c, code)
	err = settle() // deferred results are computed now
	prof, stopErr := p.Stop()
	if stopErr != nil {
		return c.failed(stopErr)
	}
	if file != "" {
		var b bytes.Buffer
		if err := prof.Write(&b); err != nil {
			return c.failed(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return c.failed(err)
		}
		s.print("wrote %s: go tool pprof -http=: %s\n", file, file)
	} else {
		t := flame.New(prof)
		s.sink.event(Event{Kind: Display, Data: display.Bundle{
			display.MIMEText: strings.TrimSuffix(t.Text(printing.Get().LineWidth), "\n"), display.MIMEHTML: t.HTML()}})
	}
	if part := p.Merged(); part >= leastMerged {
		s.print("%.0f %% is machine code of functions that call others as machine code: these count as their callers.\n"+
			"To tell them apart, start gorocm with GOROCM_NATIVE=0: all is interpreted then, 30 to 100 times slower.\n",
			100*part)
	}
	if c.reply.Err == nil && c.reply.Exit == nil {
		s.conclude(out, c.reply)
	}
	if c.reply.Err == nil && err != nil {
		return c.failed(err)
	}
	return c.reply.Err
}

// leastMerged is the part of a profile from which on it says that calls within machine code count as their callers'.
const leastMerged = 0.1
