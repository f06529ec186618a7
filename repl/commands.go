package repl

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/tensor"
)

// Command is a line that begins with %. Help, completion and documentation loop over Commands.
type Command struct {
	Name string // without the %
	Args string // how its arguments are called in help
	Doc  string
	Run  func(*Local, *Call) *Error
}

// Call is one use of a command.
type Call struct {
	Args string // what follows the name, which may be the rest of the cell

	ctx   context.Context
	cell  string
	reply *Reply
}

// Commands are all commands, in the order of %help.
var Commands []Command

func init() {
	Commands = []Command{
		{"help", "", "List the commands.", (*Local).help},
		{"who", "", "List variables, functions and types with their types and values.", (*Local).who},
		{"tensors", "", "List the tensors that variables hold, and the memory of every open device.", (*Local).tensors},
		{"reset", "", "Forget every variable, function, type and import.", (*Local).reset},
		{"time", "CELL", "Run the rest of the cell and tell how long it took.", (*Local).time},
		{"timeit", "CELL", "Run the rest of the cell many times and tell the mean and the best time of a run.", (*Local).timeit},
		{"trace", "", "Show the full stack of the last error.", (*Local).showTrace},
		{"history", "", "List the cells of this session.", (*Local).showHistory},
		{"doc", "NAME", "Show the declaration and documentation of a name, such as tensor.Randn or x.MatMul.", (*Local).doc},
		{"version", "", "Show the versions of gorocm and of Go.", (*Local).version},
	}
}

// splitCommand takes a command's name and arguments from a cell that begins with %.
func splitCommand(code string) (name, args string, ok bool) {
	code = strings.TrimSpace(code)
	if !strings.HasPrefix(code, "%") {
		return "", "", false
	}
	code = strings.TrimLeft(code, "%")
	i := strings.IndexFunc(code, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
	if i < 0 {
		return code, "", true
	}
	return code[:i], strings.TrimSpace(code[i:]), true
}

func (s *Local) command(ctx context.Context, cell, name, args string, reply *Reply) *Error {
	for _, c := range Commands {
		if c.Name == name {
			return c.Run(s, &Call{Args: args, ctx: ctx, cell: cell, reply: reply})
		}
	}
	return &Error{Name: "CommandError", Message: "there is no command %" + name, Notes: []string{"%help lists the commands"}}
}

// completeCommand completes the name of a command at the start of a cell.
func completeCommand(code string, cursor int) (Completion, bool) {
	start := strings.IndexByte(code, '%')
	if start < 0 || strings.TrimSpace(code[:start]) != "" || cursor <= start || strings.ContainsAny(code[start:cursor], " \t\n") {
		return Completion{}, false
	}
	r := Completion{Start: start, End: cursor}
	for _, c := range Commands {
		if strings.HasPrefix("%"+c.Name, code[start:cursor]) {
			r.Matches = append(r.Matches, Match{Text: "%" + c.Name, Kind: "command", Signature: c.Doc})
		}
	}
	return r, true
}

func (s *Local) print(format string, args ...any) {
	fmt.Fprintf(s.opt.Stdout, format, args...)
}

// table prints rows in columns.
func (s *Local) table(rows [][]string) {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
			}
		}
		s.print("%s\n", strings.TrimRight(b.String(), " "))
	}
}

func (s *Local) help(*Call) *Error {
	var rows [][]string
	for _, c := range Commands {
		rows = append(rows, []string{strings.TrimSpace("%" + c.Name + " " + c.Args), c.Doc})
	}
	s.table(rows)
	s.print("\nEverything else is Go. A cell's last expression is shown; _ is the last shown value; a final ; hides it.\n" +
		"Where a call returns a value and an error, x := f() takes the value, and an error stops the cell.\n")
	return nil
}

func (s *Local) who(*Call) *Error {
	e := s.current()
	names := e.Names()
	order := map[string]int{"variable": 0, "constant": 1, "function": 2, "type": 3, "package": 4}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if a.Kind != b.Kind {
			return order[a.Kind] < order[b.Kind]
		}
		return a.Name < b.Name
	})
	var rows [][]string
	for _, n := range names {
		switch n.Kind {
		case "variable":
			v, err := e.Var(n.Name)
			if err != nil {
				return &Error{Name: "InternalError", Message: err.Error()}
			}
			rows = append(rows, []string{n.Name, n.Type, summary(v)})
		case "package":
		default:
			rows = append(rows, []string{n.Name, n.Kind, n.Type})
		}
	}
	if len(rows) == 0 {
		s.print("nothing is defined yet\n")
	}
	s.table(rows)
	return nil
}

// summary shows a value on one line.
func summary(v any) (text string) {
	defer func() {
		if recover() != nil { // a value's own methods
			text = "(cannot be shown)"
		}
	}()
	if t, ok := v.(*tensor.Tensor); ok && t != nil {
		return fmt.Sprintf("%v %v on %v", t.Shape(), t.DType(), t.Device())
	}
	text, rest, more := strings.Cut(strings.TrimSpace(display.Render(v).Text()), "\n")
	const limit = 60
	if r := []rune(text); len(r) > limit {
		text, more = string(r[:limit]), true
	}
	if more || rest != "" {
		text += " …"
	}
	return text
}

func (s *Local) tensors(*Call) *Error {
	e := s.current()
	var rows [][]string
	for _, n := range e.Names() {
		if n.Kind != "variable" {
			continue
		}
		v, err := e.Var(n.Name)
		if err != nil {
			continue
		}
		if t, ok := v.(*tensor.Tensor); ok && t != nil {
			rows = append(rows, []string{n.Name, fmt.Sprint(t.Shape()), t.DType().String(), t.Device().String(), size(int64(t.ElemCount()) * int64(t.DType().Size()))})
		}
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i][0] < rows[j][0] })
	if len(rows) == 0 {
		s.print("no variable holds a tensor\n")
	}
	s.table(rows)
	runtime.GC()
	for _, d := range opened.Devices() {
		m := d.Memory()
		text := fmt.Sprintf("%v: %s in use, %s reserved", d, size(m.InUse), size(m.Reserved))
		if m.Total > 0 {
			text += fmt.Sprintf(" of %s", size(m.Total))
		}
		s.print("%s\n", text)
	}
	return nil
}

func size(n int64) string {
	f, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

func (s *Local) reset(*Call) *Error {
	if err := s.restart(); err != nil {
		return &Error{Name: "InternalError", Message: err.Error()}
	}
	debug.FreeOSMemory()
	s.sink.event(Event{Kind: Notice, Text: "everything is forgotten"})
	return nil
}

func needsCell(c *Call, name string) *Error {
	if c.Args == "" {
		return &Error{Name: "CommandError", Message: "%" + name + " needs Go to run", Notes: []string{"%" + name + " x.MatMul(y)"}}
	}
	return nil
}

func (s *Local) time(c *Call) *Error {
	if err := needsCell(c, "time"); err != nil {
		return err
	}
	start := time.Now()
	s.goCell(c.ctx, c.cell, c.Args, c.reply)
	s.print("%v\n", rounded(time.Since(start)))
	return c.reply.Err
}

// How %timeit chooses the number of runs: at least timeitRuns, and as many as fit into timeitTime.
const (
	timeitRuns = 3
	timeitTime = time.Second
	timeitMost = 10000
)

func (s *Local) timeit(c *Call) *Error {
	if err := needsCell(c, "timeit"); err != nil {
		return err
	}
	best, total, n := time.Duration(math.MaxInt64), time.Duration(0), 0
	for n < timeitRuns || total < timeitTime && n < timeitMost {
		start := time.Now()
		out := s.current().EvalNamed(c.ctx, c.cell, c.Args)
		d := time.Since(start)
		if out.Failure != nil {
			return toError(out.Failure)
		}
		if out.Exit != nil {
			c.reply.Exit = out.Exit
			return nil
		}
		best, total, n = min(best, d), total+d, n+1
	}
	s.print("%v a run (best %v, %d runs)\n", rounded(total/time.Duration(n)), rounded(best), n)
	return nil
}

func rounded(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}

func (s *Local) showTrace(*Call) *Error {
	s.mu.Lock()
	t := s.trace
	s.mu.Unlock()
	if t == "" {
		t = "no error has left a stack\n"
	}
	s.print("%s\n", strings.TrimRight(t, "\n"))
	return nil
}

func (s *Local) showHistory(*Call) *Error {
	s.mu.Lock()
	h := append([]string(nil), s.history...)
	s.mu.Unlock()
	for i, c := range h {
		s.print("[%d] %s\n", i+1, strings.ReplaceAll(strings.TrimSpace(c), "\n", "\n    "))
	}
	return nil
}

func (s *Local) doc(c *Call) *Error {
	if c.Args == "" {
		return &Error{Name: "CommandError", Message: "%doc needs a name", Notes: []string{"%doc tensor.Randn"}}
	}
	text, ok := s.current().Inspect(c.Args, len(c.Args), 0)
	if !ok {
		return &Error{Name: "CommandError", Message: "nothing is known of " + c.Args}
	}
	s.print("%s\n", text)
	return nil
}

func (s *Local) version(*Call) *Error {
	i := s.Info()
	v := i.Version
	if v == "" {
		v = "(unknown version)"
	}
	s.print("gorocm %s, cells are %s, built with %s for %s/%s\n", v, i.Go, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
