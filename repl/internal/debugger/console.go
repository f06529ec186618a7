package debugger

import (
	"context"
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/debug"
)

// promptText stands before what is typed.
const promptText = "(debug) "

const promptHelp = `n        next line, over calls          bt           the calls
s        step into calls                up, down     look at another call
o        out of the function            locals       its variables
c        continue                       p EXPRESSION evaluate; EXPRESSION = VALUE sets
l        show the source                goroutines   that run functions of cells
q        end the cell                   h            this list
Anything else is Go, and is evaluated. An empty line repeats the last step.
`

// view is the call that the prompt looks at.
type view struct {
	d          *Debugger
	frames     []*debug.Frame
	at         int
	postMortem bool
}

// prompt lets the user look at a goroutine that has stopped, and says how it goes on.
func (d *Debugger) prompt(s *debug.Stop) {
	v := &view{d: d, frames: s.Frames}
	head := s.Reason
	if s.Text != "" {
		head += ": " + s.Text
	}
	if s.Reason == "exception" {
		head = "panic: " + s.Text
	}
	if s.Thread.ID != 1 {
		head += ", in " + threadName(s.Thread)
	}
	v.print("%s\n%s", head, v.place(0))
	how, ok := v.ask()
	switch {
	case !ok: // interrupted, or nobody to ask
	case how == quit:
		d.host.Interrupt()
	default:
		d.resumed(s, how)
	}
}

// PostMortem lets the user look at the calls of the last panic. It reports whether there is one.
func (d *Debugger) PostMortem() bool {
	frames, value := d.core().LastPanic()
	if len(frames) == 0 {
		return false
	}
	v := &view{d: d, frames: frames, postMortem: true}
	v.print("after the panic: %s\n%s", d.text(valueOf("", "", "", value).v), v.place(0))
	v.ask()
	d.core().ForgetPanic()
	return true
}

// quit ends the cell.
const quit debug.How = -1

// ask takes commands until one lets the goroutine go on. ok is false where nobody answers.
func (v *view) ask() (how debug.How, ok bool) {
	for {
		line, err := v.d.host.Ask(promptText)
		if err != nil {
			v.print("nobody answers here, so the cell goes on\n")
			return 0, false
		}
		line = strings.TrimSpace(line)
		if line == "" {
			line = v.d.repeat
		}
		if how, ok := steps[line]; ok {
			if how != quit {
				v.d.repeat = line
			}
			if v.postMortem {
				if how == quit || how == debug.Continue {
					return how, true
				}
				v.print("the panic is over: q ends the look at it\n")
				continue
			}
			return how, true
		}
		v.command(line)
	}
}

// steps are the commands that let the goroutine go on.
var steps = map[string]debug.How{
	"n": debug.StepOver, "next": debug.StepOver, "s": debug.StepIn, "step": debug.StepIn, "o": debug.StepOut,
	"out": debug.StepOut, "c": debug.Continue, "continue": debug.Continue, "q": quit, "quit": quit,
}

// command runs any other command.
func (v *view) command(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "":
	case "h", "help", "?":
		v.print("%s", promptHelp)
	case "bt", "where":
		for i, f := range v.frames {
			mark := " "
			if i == v.at {
				mark = ">"
			}
			v.print("%s %d  %s\n", mark, i, title(f))
		}
	case "up", "down":
		to := v.at + 1
		if word == "down" {
			to = v.at - 1
		}
		if to < 0 || to >= len(v.frames) {
			v.print("there is no further call\n")
			return
		}
		v.at = to
		v.print("%s", v.place(0))
	case "l", "list":
		v.print("%s", v.place(5))
	case "locals":
		v.locals()
	case "goroutines":
		for _, t := range v.d.core().Threads() {
			v.print("%s\n", threadName(t))
		}
	case "p", "print":
		v.evaluate(rest)
	default:
		v.evaluate(line)
	}
}

func (v *view) print(format string, args ...any) { v.d.host.Print(fmt.Sprintf(format, args...)) }

// title names a call and its place.
func title(f *debug.Frame) string {
	p := f.Place()
	switch {
	case p == nil:
		return "?"
	case p.Func == "":
		return fmt.Sprintf("%s, line %d", p.File, p.Line)
	}
	return fmt.Sprintf("%s (%s, line %d)", p.Func, p.File, p.Line)
}

// place is the call that is looked at, with some lines of its source around the place.
func (v *view) place(around int) string {
	f := v.frames[v.at]
	p := f.Place()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", title(f))
	if p == nil {
		return b.String()
	}
	lines := v.d.host.Engine().Debugging().CellSource(p.File)
	for n := max(1, p.Line-around); n <= min(len(lines), p.Line+around); n++ {
		mark := " "
		if n == p.Line {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %3d  %s\n", mark, n, strings.ReplaceAll(lines[n-1], "\t", "    "))
	}
	return b.String()
}

func (v *view) locals() {
	v.d.shown(func() {
		list := v.d.host.Engine().Debugging().FrameVariables(v.frames[v.at])
		if len(list) == 0 {
			v.print("no variables\n")
		}
		for _, x := range list {
			v.print("%s %s = %s\n", x.Name, x.Type, v.d.text(valueOf("", "", "", x.Value).v))
		}
	})
}

func (v *view) evaluate(src string) {
	if strings.TrimSpace(src) == "" {
		v.print("p wants an expression\n")
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), evaluationTime)
	defer cancel()
	values, err := v.d.evaluateIn(ctx, v.frames[v.at:], src)
	if err != nil {
		v.print("%v\n", err)
		return
	}
	v.d.shown(func() {
		for _, x := range values {
			v.print("%s\n", v.d.text(valueOf("", "", "", x.V).v))
		}
	})
}
