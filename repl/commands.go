package repl

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/edits"
	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/visible"
	"github.com/gorocm/gorocm/repl/golang"
)

// Command is what a line that begins with % runs. Help, completion and docs/commands.md loop over Commands.
type Command struct {
	Name    string   // without the %
	Aliases []string // other names
	Args    string   // how its arguments are called in help
	Doc     string   // one sentence
	More    string   // what %help NAME adds
	// Examples are lines with what they do.
	Examples [][2]string
	// Go says that the arguments are Go, which may go on in the lines below.
	Go bool
	// Beside says that cells of subshells may use it: it looks at nothing that a running cell changes.
	Beside bool
	// Body says that %%name stands above lines that belong to the command; Sign is %% where there must be some.
	Body bool
	Sign string
	Run  func(*Call) *Error
	// Complete completes the arguments, of which it is given what stands before the cursor; nil completes nothing.
	Complete func(s *Local, args string) Completion
}

// Call is one use of a command.
type Call struct {
	Args string // what follows the name
	Body string // of the form %%name: the lines below

	session *Local
	command *Command
	line    int // how many lines of the cell stand above
	ctx     context.Context
	cell    string
	reply   *Reply
	asked   bool // by NAME? or its like
	pages   bool // the front end shows Reply.Pages
}

// Usage is how the command is called: %cd [-q] [DIRECTORY].
func (c *Command) Usage() string {
	sign := "%"
	if c.Sign != "" {
		sign = c.Sign
	}
	return strings.TrimSpace(sign + c.Name + " " + c.Args)
}

// goCode is the Go that the command is to run, with lines that count from the cell's first: args, or the lines below
// them.
func (c *Call) goCode(args string) (first, code string) {
	above := strings.Repeat("\n", c.line)
	if c.Body == "" {
		return "", above + args
	}
	if strings.TrimSpace(args) == "" {
		return "", above + "\n" + c.Body
	}
	return above + args, c.Body
}

// codeOf is the code that the command is to run as one cell, Go or another command: args and the lines below them.
func codeOf(c *Call, args string) (code string, wrong *Error) {
	first, code := c.goCode(args)
	if first != "" {
		code = first + "\n" + code
	}
	if strings.TrimSpace(code) == "" {
		return "", c.wrong("there is nothing to run")
	}
	return code, nil
}

// runCode runs such code. What Go gives is the outcome; a command replies itself.
func runCode(ctx context.Context, c *Call, code string) (out golang.Outcome) {
	s := c.session
	if code := strings.TrimSpace(code); code[0] == '%' || code[0] == '!' && s.isShell(code) {
		s.cell(c.ctx, c.cell, code, 0, c.reply)
		return out
	}
	return s.eval(ctx, c.cell, code)
}

// wrong is a mistake in a command's arguments; it shows how the command is called.
func (c *Call) wrong(format string, args ...any) *Error {
	return &Error{Name: "CommandError", Message: "%" + c.command.Name + ": " + fmt.Sprintf(format, args...),
		Notes: []string{"usage: " + c.command.Usage()}}
}

// failed is a command whose arguments are right and that could not do its work.
func (c *Call) failed(err error) *Error {
	return &Error{Name: "CommandError", Message: "%" + c.command.Name + ": " + err.Error()}
}

// noArgs reports arguments of a command that takes none.
func (c *Call) noArgs() *Error {
	if c.Args != "" {
		return c.wrong("takes no arguments")
	}
	return nil
}

func (s *Local) command(ctx context.Context, cell string, p part, pages bool, reply *Reply) *Error {
	c := commandNames[p.command]
	if c == nil {
		hint := ""
		if here := foreignCommands[p.command]; here != "" {
			hint = here + ". "
		} else if near := nearest(p.command); near != "" {
			hint = "did you mean %" + near + "? "
		} else if _, err := exec.LookPath(p.command); err == nil {
			hint = "!" + p.command + " runs it in the shell. "
		}
		return &Error{Name: "CommandError", Message: "there is no command %" + p.command,
			Notes: []string{hint + "%help lists the commands"}}
	}
	if args := strings.TrimSpace(p.args); (args == "--help" || args == "-h") && c.Name != "sh" {
		p.args, c = c.Name, commandNames["help"]
	}
	call := &Call{session: s, Args: p.args, Body: p.body, command: c, line: p.line, ctx: ctx, cell: cell, reply: reply,
		asked: p.asked, pages: pages}
	if p.whole && !c.Body {
		return call.wrong("has no form %%%%%s with lines below", c.Name)
	}
	s.moving.ranCommand(c.Name, p.args, p.body)
	return c.Run(call)
}

// nearest is the command whose name is most like a wrong one; "" when none is.
func nearest(name string) string {
	best, least := "", max(2, len(name)/2)
	for i := range Commands {
		c := &Commands[i]
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if d := edits.DistanceSwapping([]byte(strings.ToLower(name)), []byte(n)); d < least {
				best, least = c.Name, d
			}
		}
	}
	return best
}

func (c *Call) help() *Error {
	s := c.session
	if c.Args != "" {
		name := strings.TrimLeft(c.Args, "%")
		d := commandNames[name]
		if d == nil {
			if near := nearest(name); near != "" {
				return c.wrong("there is no command %%%s: did you mean %%%s?", name, near)
			}
			return c.wrong("there is no command %%%s", name)
		}
		s.page(c, display.Bundle{display.MIMEText: strings.TrimRight(d.Text(), "\n")})
		return nil
	}
	columns := max(20, cmp.Or(printing.Columns(), 80)-1) // where no terminal says another width
	var rows [][]string
	row := func(name, doc string) { rows = append(rows, []string{name, doc}) }
	for i := range Commands {
		name, _, _ := strings.Cut(Commands[i].Usage(), " ")
		row(name, Commands[i].Doc)
	}
	row("!COMMAND", "Run a command of the system's shell.")
	s.print("%s", printing.Table(rows, columns))
	s.print("\n%s\n", strings.TrimRight(wrap("%help NAME shows more of one. Commands stand on lines of their own, above, between or below Go.\n"+
		"Everything else is Go. A cell's last expression is shown; _ is the last shown value; a final ; hides it. "+
		"Where a call returns a value and an error, x := f() takes the value, and an error stops the cell.", columns),
		"\n"))
	return nil
}

// Text is all that there is to say of a command, as %help NAME shows it.
func (c *Command) Text() string {
	var b strings.Builder
	b.WriteString(c.Usage() + "\n\n" + c.Doc + "\n")
	if c.More != "" {
		b.WriteString("\n" + wrap(c.More, 100) + "\n")
	}
	if len(c.Aliases) > 0 {
		b.WriteString("\nAlso %" + strings.Join(c.Aliases, ", %") + ".\n")
	}
	if len(c.Examples) > 0 {
		b.WriteString("\n")
		width := 0
		for _, x := range c.Examples {
			width = max(width, len(x[0]))
		}
		for _, x := range c.Examples {
			b.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, x[0], x[1]), " ") + "\n")
		}
	}
	return b.String()
}

// wrap breaks text into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	n := 0
	for i, word := range strings.FieldsFunc(strings.ReplaceAll(text, "\n", " \n "),
		func(r rune) bool { return r == ' ' }) {
		switch {
		case word == "\n":
			b.WriteByte('\n')
			n = 0
			continue
		case n > 0 && n+1+utf8.RuneCountInString(word) > width:
			b.WriteByte('\n')
			n = 0
		case i > 0 && n > 0:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += utf8.RuneCountInString(word)
	}
	return b.String()
}

func (s *Local) print(format string, args ...any) {
	fmt.Fprint(s.opt.Stdout, visible.Text(fmt.Sprintf(format, args...)))
}

// page shows the answer to a question beside the cell's output, where the front end can.
func (s *Local) page(c *Call, b display.Bundle) {
	if c.asked && c.pages {
		c.reply.Pages = append(c.reply.Pages, b)
		return
	}
	s.print("%s\n", printing.Document(b.Text(), printing.Columns()))
}

// columns are rows as text, for the terminal that shows them.
func columns(rows [][]string) string { return printing.Table(rows, printing.Columns()) }
