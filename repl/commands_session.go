package repl

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
)

func (c *Call) reset() *Error {
	s := c.session
	_, rest, wrong := c.options("fs")
	if wrong != nil {
		return wrong
	}
	if rest != "" {
		return s.forget(c, strings.Fields(rest))
	}
	if err := s.restart(); err != nil {
		return &Error{Name: "InternalError", Message: err.Error()}
	}
	debug.FreeOSMemory()
	s.sink.event(Event{Kind: Notice, Text: "everything is forgotten"})
	return nil
}

// forget removes single names.
func (s *Local) forget(c *Call, patterns []string) *Error {
	e := s.current()
	var gone []string
	users := map[string][]string{}
	for _, p := range patterns {
		if e.ForgetResults(p) {
			gone = append(gone, p)
			continue
		}
		names, err := matching(e.Names(), []string{p})
		if err != nil {
			return c.wrong("%v", err)
		}
		if len(names) == 0 {
			return &Error{Name: "CommandError", Message: "%reset: nothing is called " + p,
				Notes: []string{"%vars lists what there is"}}
		}
		for _, n := range names {
			users[n.Name] = golang.Users(e, n.Name)
			if f := e.Forget(c.ctx, n.Name); f != nil {
				return toError(f)
			}
			gone = append(gone, n.Name)
		}
	}
	sort.Strings(gone)
	s.sink.event(Event{Kind: Notice, Text: strings.Join(gone, ", ") + ": forgotten"})
	for _, name := range gone {
		left := slices.DeleteFunc(users[name], func(user string) bool {
			base, _, _ := strings.Cut(user, ".") // of a method, its type
			return slices.Contains(gone, user) || slices.Contains(gone, base)
		})
		if len(left) > 0 {
			s.sink.event(Event{Kind: Notice, Text: fmt.Sprintf("what uses %s keeps it as it is: %s", name,
				strings.Join(left, ", "))})
		}
	}
	return nil
}

func (c *Call) restartCommand() *Error {
	s := c.session
	if err := c.noArgs(); err != nil {
		return err
	}
	if err := s.restart(); err != nil {
		return &Error{Name: "InternalError", Message: err.Error()}
	}
	s.mu.Lock()
	s.trace = ""
	s.mu.Unlock()
	if s.home != "" {
		if err := os.Chdir(s.home); err != nil {
			return c.failed(err)
		}
	}
	for name, old := range s.environment {
		if old == nil {
			os.Unsetenv(name)
		} else if err := os.Setenv(name, *old); err != nil {
			return c.failed(err)
		}
	}
	s.home, s.before, s.environment = "", "", nil
	debug.FreeOSMemory()
	c.reply.Restart = true
	s.sink.event(Event{Kind: Notice, Text: "the session begins anew"})
	return nil
}

func (c *Call) importPackages() *Error {
	s := c.session
	words := strings.Fields(c.Args)
	if len(words) == 0 {
		return c.wrong("a path is missing")
	}
	name := ""
	if len(words) == 2 && !strings.ContainsAny(words[0], "/\"`") && !slices.Contains(s.current().Packages(), words[0]) {
		name, words = words[0], words[1:]
	}
	for _, w := range words {
		path := strings.Trim(w, "\"`")
		out := s.eval(c.ctx, c.cell, fmt.Sprintf("import %s %q", name, path))
		if out.Failure != nil {
			e := toError(out.Failure)
			e.Frames = nil // the cell has no such line
			return e
		}
		own, members := s.current().Members(path)
		as := name
		if as == "" {
			as = own
		}
		const most = 8
		list := members
		if len(list) > most {
			list = append(append([]string(nil), list[:most]...), "…")
		}
		s.print("%s: %s of %q: %s\n", as, count(len(members), "name"), path, strings.Join(list, ", "))
	}
	return nil
}
