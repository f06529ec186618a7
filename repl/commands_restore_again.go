package repl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// originsOf adds to what a checkpoint does not keep how it was made.
func originsOf(s *Local, e *golang.Engine, list []checkpoint.Lost) {
	if len(list) == 0 {
		return
	}
	o := &origins{defined: golang.DeclaredIn(e), lost: map[string]bool{}}
	for _, l := range list {
		o.lost[l.Name] = true
	}
	for _, r := range s.ran.Values() {
		if r.Code != "" {
			o.codes = append(o.codes, r)
		}
	}
	o.tell(list)
}

// runLiterals evaluates the function literals that variables had which a checkpoint does not keep. It returns those
// that have their functions again, and leaves the others in h.
func runLiterals(c *Call, h *checkpoint.Header) (back []checkpoint.Variable) {
	h.Lost = slices.DeleteFunc(h.Lost, func(l checkpoint.Lost) bool {
		if !l.Literal || !l.Spellable() || c.session.moving.to != nil {
			return false
		}
		if out := c.session.eval(c.ctx, c.cell, l.Statement); out.Failure != nil {
			return false
		}
		back = append(back, checkpoint.Variable{Name: l.Name, Type: l.Type})
		return true
	})
	return back
}

// offer tells how the variables that were not restored can get their values.
func (a *checkpoints) offer(h checkpoint.Header) {
	list := slices.DeleteFunc(slices.Clone(h.Lost), func(l checkpoint.Lost) bool { return l.Statement == "" })
	slices.SortStableFunc(list, func(a, b checkpoint.Lost) int { return cmp.Compare(a.Order, b.Order) })
	a.statements = nil
	for _, l := range list {
		if !slices.Contains(a.statements, l.Statement) { // which may make several variables
			a.statements = append(a.statements, l.Statement)
		}
	}
	if len(a.statements) > 0 {
		a.session.sink.event(Event{Kind: Notice, Text: "%restore -r runs the statements that made them, with all that these do:\n  " +
			strings.ReplaceAll(strings.Join(a.statements, "\n"), "\n", "\n  ")})
	}
}

// runStatements runs the statements that made what the last %restore could not bring back.
func runStatements(c *Call, rest string) *Error {
	a := &c.session.checkpoints
	if rest != "" {
		return c.wrong("-r stands alone: it is for what the last %%restore could not bring back")
	}
	if len(a.statements) == 0 {
		return c.failed(fmt.Errorf("no %%restore has named statements to run"))
	}
	done := len(a.statements)
	for len(a.statements) > 0 {
		if out := c.session.eval(c.ctx, c.cell, a.statements[0]); out.Failure != nil {
			e := toError(out.Failure)
			e.Notes = append(e.Notes, fmt.Sprintf("%%restore -r goes on with this statement; %s left", count(len(a.statements), "statement")))
			return e
		}
		a.statements = a.statements[1:]
	}
	c.session.sink.event(Event{Kind: Notice, Text: "run again: " + count(done, "statement")})
	return nil
}
