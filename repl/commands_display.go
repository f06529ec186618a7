package repl

import (
	"bytes"
	"go/token"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/session"
)

// show displays the lines below %%html and its like.
func (c *Call) show(bundle func(body string) display.Bundle) *Error {
	if err := c.noArgs(); err != nil {
		return err
	}
	if strings.TrimSpace(c.Body) == "" {
		return c.wrong("there are no lines below")
	}
	c.session.sink.event(Event{Kind: Display, Data: bundle(c.Body)})
	return nil
}

func (c *Call) html() *Error     { return c.show(display.HTML) }
func (c *Call) markdown() *Error { return c.show(display.Markdown) }
func (c *Call) svg() *Error      { return c.show(display.SVG) }

// latex shows the lines as they are: they may mix text and formulas.
func (c *Call) latex() *Error {
	return c.show(func(body string) display.Bundle {
		return display.Bundle{display.MIMELaTeX: body, display.MIMEText: strings.TrimRight(body, "\n")}
	})
}

func (c *Call) javascript() *Error {
	return c.show(func(body string) display.Bundle {
		const text = "JavaScript, which only a notebook runs"
		return display.Bundle{"application/javascript": body, display.MIMEText: text}
	})
}

// redirect is an output of the session, whose destination %%capture changes.
type redirect struct {
	io.Writer

	mu sync.Mutex
	to *bytes.Buffer // nil for the session's own
}

func (r *redirect) Write(p []byte) (int, error) {
	r.mu.Lock()
	to := r.to
	if to != nil {
		defer r.mu.Unlock()
		return to.Write(p)
	}
	r.mu.Unlock()
	return r.Writer.Write(p)
}

// File is the file of the output, for programs; nil where there is none, or another destination.
func (r *redirect) File() *os.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o, ok := r.Writer.(interface{ File() *os.File }); ok && r.to == nil {
		return o.File()
	}
	return nil
}

// capture directs what is written from now on into a buffer; end returns it, and undoes that.
func (r *redirect) capture() (end func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, b := r.to, &bytes.Buffer{}
	r.to = b
	return func() string {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.to = before
		return b.String()
	}
}

// capture runs the lines below and keeps what they print and show.
func (c *Call) capture() *Error {
	s := c.session
	if c.Args != "" && !token.IsIdentifier(c.Args) {
		return c.wrong("%q cannot be the name of a variable", c.Args)
	}
	if strings.TrimSpace(c.Body) == "" {
		return c.wrong("there are no lines below")
	}
	var kept session.Captured
	stdout, stderr := s.stdout.capture(), s.stderr.capture()
	var mu sync.Mutex
	undo := s.sink.divert(func(e Event) bool {
		if e.Kind != Display && e.Kind != Result && e.Kind != Update {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		kept.Shown = append(kept.Shown, e.Data)
		return true
	})
	above := strings.Repeat("\n", c.line+1)
	s.cell(c.ctx, c.cell, above+c.Body, 0, c.reply)
	undo()
	kept.Stdout, kept.Stderr = stdout(), stderr()
	if c.Args == "" || c.reply.Exit != nil {
		return c.reply.Err
	}
	session.SetCaptured(kept)
	out := s.current().EvalNamed(c.ctx, "capture", c.Args+" := session.LastCaptured()")
	session.SetCaptured(session.Captured{})
	if c.reply.Err == nil && out.Failure != nil {
		return toError(out.Failure)
	}
	return c.reply.Err
}
