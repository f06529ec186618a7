package repl

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/display"
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
	// Body says that %%name stands above lines that belong to the command; Sign is %% where there must be some.
	Body bool
	Sign string
	Run  func(*Local, *Call) *Error
	// Complete completes the arguments, of which it is given what stands before the cursor; nil completes nothing.
	Complete func(s *Local, args string) Completion
}

// Call is one use of a command.
type Call struct {
	Args string // what follows the name
	Body string // of the form %%name: the lines below

	command *Command
	line    int // how many lines of the cell stand above
	ctx     context.Context
	cell    string
	reply   *Reply
	asked   bool // by NAME? or its like
}

// Commands are all commands, in the order of %help.
var Commands []Command

func init() {
	Commands = []Command{
		{
			Name: "help", Aliases: []string{"lsmagic"}, Args: "[COMMAND]", Doc: "List the commands, or tell more of one.",
			Examples: [][2]string{{"%help timeit", "the options of %timeit"}},
			Run:      (*Local).help, Complete: completeCommandName,
		},
		{
			Name: "vars", Aliases: []string{"who", "whos"}, Args: "[PATTERN]", Doc: "List variables, constants, functions and types with their types and values.",
			More:     "With a pattern, only the names that it matches: * stands for any text, ? for one character.",
			Examples: [][2]string{{"%vars", "everything that cells have defined"}, {"%vars loss*", "names that begin with loss"}},
			Run:      (*Local).vars, Complete: completeName,
		},
		{
			Name: "tensors", Doc: "List the tensors that variables hold, and the memory of every open device.",
			Run: (*Local).tensors,
		},
		{
			Name: "gpu", Doc: "Tell how the GPUs are, their temperature, power, clocks and memory, and what this session holds of it.",
			More: "AMD GPUs are asked through the files of their kernel driver, NVIDIA GPUs through NVML. An emulated GPU has no sensors.",
			Run:  (*Local).gpu,
		},
		{
			Name: "time", Args: "CODE", Doc: "Run Go once and tell how long the host and the devices took.",
			More: "Checking and compiling the code is not counted, nor is showing its value. Every open device is waited for before and after. " +
				"Host is the time until the last statement has returned; each GPU is named with the time from the start of its " +
				"first kernel to the end of its last, by its own clock: it works while the host goes on. " +
				"The kernels of an emulated device run on the host: the time that they took is part of the host's.\n" +
				"%%time above a cell times the whole cell.",
			Examples: [][2]string{{"%time z := x.MatMul(y)", "variables stay, as without %time"}, {"%%time", "times the lines below"}},
			Go:       true, Body: true, Run: (*Local).time, Complete: completeGo,
		},
		{
			Name: "timeit", Args: "[-n LOOPS] [-r RUNS] [-q] CODE", Doc: "Run Go many times and tell the mean, the deviation and the best time.",
			More: "The code is compiled once, as a loop in a function: what it defines is gone afterwards. -n says how often a run goes round; without it, " +
				"as often as takes 0.2 s. -r says how many runs are measured (7). -q only measures, and shows nothing but errors. " +
				"Every open device is waited for before and after a run.\n" +
				"%%timeit above a cell measures the lines below; what follows it on its line runs once, before them.",
			Examples: [][2]string{{"%timeit x.MatMul(y)", "chooses the number of loops"}, {"%timeit -n 1000 -r 3 strings.Repeat(\"a\", 100)", "3 runs of 1,000 loops"}, {"%%timeit a := tensor.Ones([]int{512, 512}, tensor.F32, dev)", "measures the lines below"}},
			Go:       true, Body: true, Run: (*Local).timeit, Complete: completeGo,
		},
		{
			Name: "trace", Aliases: []string{"tb"}, Doc: "Show the full stack of the last error.",
			Run: (*Local).showTrace,
		},
		{
			Name: "doc", Aliases: []string{"pinfo"}, Args: "NAME", Doc: "Show the declaration and documentation of a name; NAME? does the same.",
			Examples: [][2]string{{"%doc tensor.Randn", "of a function"}, {"x.MatMul?", "of a method of a variable"}},
			Go:       true, Run: (*Local).doc, Complete: completeGo,
		},
		{
			Name: "src", Aliases: []string{"source", "psource", "pinfo2"}, Args: "NAME", Doc: "Show the source of a function, type or constant of the session; NAME?? does the same.",
			More:     "A type comes with its methods. Of packages, the sources of those are here whose functions are generic: slices, maps, iter and others.",
			Examples: [][2]string{{"%src double", "a function that a cell declared"}, {"%src Point.Add", "one method"}, {"%src slices.Index", "one of the library"}},
			Run:      (*Local).src, Complete: completeGo,
		},
		{
			Name: "type", Args: "EXPRESSION", Doc: "Show the static type of an expression without evaluating it.",
			Examples: [][2]string{{"%type os.Open(\"x\")", "opens nothing, and shows the two results' types"}},
			Go:       true, Run: (*Local).typeOf, Complete: completeGo,
		},
		{
			Name: "import", Args: "[NAME] PATH…", Doc: "Import packages and name what they made available.",
			More:     "What cells use of the standard library and of gorocm is imported on first use; this is for other names, and to see what there is.",
			Examples: [][2]string{{"%import math/rand/v2", "rand, in place of math/rand"}, {"%import r crypto/rand", "under another name"}},
			Run:      (*Local).importPackages, Complete: completeImport,
		},
		{
			Name: "get", Args: "MODULE[@VERSION]", Doc: "Add a third-party module to the session, so that cells can import its packages.",
			More: "The packages are interpreted from source, and a Go toolchain must be present to find and download them. Without a version it is the latest; " +
				"a branch or a commit will do too, and @none takes the module out again. A folder stands for the module of your own around it. " +
				"Each session has its own modules: no other go.mod is changed. docs/modules.md tells what can be interpreted.",
			Examples: [][2]string{{"%get github.com/google/uuid", "then import \"github.com/google/uuid\""}, {"%get golang.org/x/text@v0.43.0", "one version"}, {"%get .", "the module around the working directory"}},
			Run:      (*Local).get, Complete: completeDir,
		},
		{
			Name: "history", Aliases: []string{"hist"}, Args: "[-n] [-l COUNT] [-g [TEXT]] [CELLS]", Doc: "List the cells of this session, or with -g of all sessions.",
			More: "-n writes their numbers, -l takes only the last ones. -g lists the cells of all sessions, in terminals and notebooks, that have a text in them: * stands for any text, " +
				"? for one character; the numbers are the session's and the cell's. CELLS are numbers and ranges: 3 5-7.",
			Examples: [][2]string{{"%history -n", "all cells with their numbers"}, {"%history -g MatMul", "cells of all sessions that mention MatMul"}, {"%history 1-3", "the first three"}},
			Run:      (*Local).pastCells,
		},
		{
			Name: "edit", Aliases: []string{"ed"}, Args: "[CELLS|NAME]", Doc: "Open earlier cells, or what a cell has declared, in your editor; the result is the next cell.",
			More: "Without arguments it is the last cell. CELLS are numbers and ranges: 3 5-7; their text comes as one. What the editor saves stands in the next cell, where Enter runs it. " +
				"The editor is the configuration's, $VISUAL or $EDITOR. In a notebook the text comes as the next cell at once. Ctrl-X Ctrl-E opens the cell that is being typed.",
			Examples: [][2]string{{"%edit", "the last cell again"}, {"%edit 3", "cell 3"}, {"%edit double", "the function double"}},
			Run:      (*Local).edit, Complete: completeName,
		},
		{
			Name: "save", Args: "[-f] FILE [CELLS]", Doc: "Write the cells of the session as Go with // %% lines, or as a notebook if FILE ends in .ipynb.",
			More: "The cells are those that have run without an error since the last reset, in order, as they were typed and without outputs. gorocm run and %run run them again. " +
				"CELLS are numbers and ranges: 3 5-7; without them, all. -f replaces a file.",
			Examples: [][2]string{{"%save train.go", "everything"}, {"%save -f train.go 1-4 7", "some cells, in place of what the file has"}, {"%save work.ipynb", "the cells as a notebook"}},
			Run:      (*Local).save, Complete: completeFile,
		},
		{
			Name: "load", Args: "[-r LINES] FILE", Doc: "Put a file into the next cell, for editing; nothing of it runs.",
			More:     "-r takes some lines: 10-20. A notebook's code cells come as one, with // %% between them.",
			Examples: [][2]string{{"%load train.go", "all of it"}, {"%load -r 10-20 train.go", "eleven lines"}},
			Run:      (*Local).load, Complete: completeFile,
		},
		{
			Name: "run", Args: "FILE [ARGUMENT…]", Doc: "Run a Go file or notebook in this session.",
			More:     "The names that it declares stay. os.Args holds the file and the arguments while it runs. A file with func main runs it.",
			Examples: [][2]string{{"%run train.go -epochs 3", "with arguments"}, {"%run work.ipynb", "the code cells, one after the other"}},
			Run:      (*Local).run, Complete: completeFile,
		},
		{
			Name: "writefile", Args: "[-a] FILE", Doc: "Write the lines below into a file; -a appends.", Sign: "%%",
			Examples: [][2]string{{"%%writefile scale.hip", "the rest of the cell is the file"}},
			Body:     true, Run: (*Local).writeFile, Complete: completeFile,
		},
		{
			Name: "hip", Doc: "Compile the lines below, HIP source, and define its kernels as variables.", Sign: "%%",
			More: "Each kernel becomes a variable of its name, a *rocm.Kernel: name.Launch(n, arguments…) runs it with a thread for each of n elements, in blocks of 256 (of n, where n is less; the " +
				"last block may have threads beyond n), on tensors and numbers, which are checked against " +
				"its parameters. Kernels are what the source declares __global__; extern \"C\" is not needed. On an AMD GPU hiprtc compiles, on an NVIDIA GPU NVRTC; " +
				"for the emulated GPU clang 17 or later or hiprtc must be on the machine. docs/kernels.md tells more.",
			Examples: [][2]string{{"%%hip", "then __global__ void twice(float *x, int n) { … }, and in the next cell twice.Launch(8, x, 8)"}},
			Body:     true, Run: (*Local).hip,
		},
		{
			Name: "isa", Args: "[-r] KERNEL", Doc: "Show what a kernel takes of the GPU (registers, shared memory, occupancy) and its instructions.",
			More: "KERNEL is a variable or expression of type *rocm.Kernel, as %%hip and rocm.Compile make them; it is compiled for the device that is open. " +
				"-r leaves the instructions out. For GPUs other than gfx1100, llvm-objdump or cuobjdump must be on the machine for them.",
			Examples: [][2]string{{"%isa saxpy", "of the kernel in the variable saxpy"}, {"%isa -r saxpy", "without the instructions"}},
			Go:       true, Run: (*Local).isa, Complete: completeGo,
		},
		{
			Name: "profile", Args: "CODE", Doc: "Run Go and tell what each kernel did: launches, instructions by kind, memory, bank conflicts, time.",
			More: "On the emulated GPU, instructions are counted per wave, by the unit that executes them, with the share of lanes that were on; bytes are those that lanes asked for, " +
				"accesses to lines say how well they were coalesced, and bank conflicts are the further cycles that shared memory takes. The time is the emulation's. " +
				"On a GPU, events tell launches and times.\n" +
				"%%profile above a cell profiles the whole cell.",
			Examples: [][2]string{{"%profile saxpy.Launch(1000, 2, x, y, 1000)", "one launch"}, {"%%profile", "all kernels of the lines below"}},
			Go:       true, Body: true, Run: (*Local).profile, Complete: completeGo,
		},
		{
			Name: "sanitize", Args: "[CHECKS]", Doc: "Let launches on the emulated GPU check for races and for memory that nothing has written.",
			More: "CHECKS are race, init, both, on or off. race: two work-items touch the same bytes of shared or global memory, at least one stores, and no barrier or atomic operation orders them. " +
				"init: a kernel uses shared or global memory that nothing has written. on is both. A kernel that fails a check is an error with the work-items, the instructions and their lines. " +
				"Checked launches take 10 to 100 times as long. Without arguments, the command shows what is checked. GOROCM_SANITIZE=race,init in the environment sets it from the beginning.",
			Examples: [][2]string{{"%sanitize on", "both checks"}, {"%sanitize race", "races only"}, {"%sanitize off", "none"}},
			Run:      (*Local).sanitize, Complete: completeSanitize,
		},
		{
			Name: "sh", Aliases: []string{"bash", "system"}, Args: "[COMMAND]", Doc: "Run a command, or the lines below %%sh, in the system's shell.",
			Examples: [][2]string{{"%%sh", "the rest of the cell is a script"}},
			Body:     true, Run: (*Local).sh, Complete: completeFile,
		},
		{
			Name: "cd", Args: "[-q] [DIRECTORY]", Doc: "Change the working directory; without an argument to the home directory, with - back.",
			Examples: [][2]string{{"%cd ~/data", "a folder below the home directory"}, {"%cd -", "back to where it was before"}},
			Run:      (*Local).cd, Complete: completeDir,
		},
		{
			Name: "pwd", Doc: "Show the working directory.",
			Run: (*Local).pwd,
		},
		{
			Name: "env", Aliases: []string{"set_env"}, Args: "[NAME[=VALUE]]", Doc: "Show the environment or one variable of it, or set one.",
			More:     "$NAME in a value stands for the variable. What cells and ! start sees the change.",
			Examples: [][2]string{{"%env HOME", "shows it"}, {"%env GOROCM_BLAS=go", "sets it"}},
			Run:      (*Local).env, Complete: completeEnv,
		},
		{
			Name: "reset", Args: "[-f] [NAME…]", Doc: "Forget every variable, function, type and import, or those named.",
			More:     "Nothing is asked, with -f or without. The values' memory is given back, on devices too; small ones that cells have shown stay to be had by their numbers. * and ? in a name match as in %vars.",
			Examples: [][2]string{{"%reset x y", "two names"}, {"%reset Out", "the results of cells, as in Out[3]"}, {"%reset -f", "begin anew"}},
			Run:      (*Local).reset, Complete: completeName,
		},
		{
			Name: "restart", Doc: "Begin a fresh session: nothing is defined, and what %cd and %env changed is as it was.",
			More: "Where the session runs in a worker process, as in the terminal and in Jupyter, a new process takes its place.",
			Run:  (*Local).restartCommand,
		},
		{
			Name: "replay", Args: "[CELLS]", Doc: "Run the cells again that ran before the session began anew, after a crash or %restart.",
			More: "Cells that failed are left out, and so is the one that ended the session. It stops at the first cell that fails now. " +
				"CELLS are numbers and ranges: 3 5-7, of any cells of the session.",
			Examples: [][2]string{{"%replay", "everything is as it was before"}, {"%replay 1-3", "some cells"}},
			Run:      (*Local).replay,
		},
		{
			Name: "version", Doc: "Show the versions of gorocm and of Go.",
			Run: (*Local).version,
		},
	}
	for i := range Commands {
		for _, n := range append([]string{Commands[i].Name}, Commands[i].Aliases...) {
			commandNames[n] = &Commands[i]
		}
	}
}

// commandNames finds commands by name and alias.
var commandNames = map[string]*Command{}

// Usage is how the command is called: %cd [-q] [DIRECTORY].
func (c *Command) Usage() string {
	sign := "%"
	if c.Sign != "" {
		sign = c.Sign
	}
	return strings.TrimSpace(sign + c.Name + " " + c.Args)
}

// goCode is the Go that the command is to run, with lines that count from the cell's first: args, or the lines below them.
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

// wrong is a mistake in a command's arguments; it shows how the command is called.
func (c *Call) wrong(format string, args ...any) *Error {
	return &Error{Name: "CommandError", Message: "%" + c.command.Name + ": " + fmt.Sprintf(format, args...), Notes: []string{"usage: " + c.command.Usage()}}
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

func (s *Local) command(ctx context.Context, cell string, p part, reply *Reply) *Error {
	c := commandNames[p.command]
	if c == nil {
		hint := ""
		if near := nearest(p.command); near != "" {
			hint = "did you mean %" + near + "? "
		} else if _, err := exec.LookPath(p.command); err == nil {
			hint = "!" + p.command + " runs it in the shell. "
		}
		return &Error{Name: "CommandError", Message: "there is no command %" + p.command, Notes: []string{hint + "%help lists the commands"}}
	}
	call := &Call{Args: p.args, Body: p.body, command: c, line: p.line, ctx: ctx, cell: cell, reply: reply, asked: p.asked}
	if p.whole && !c.Body {
		return call.wrong("has no form %%%%%s with lines below", c.Name)
	}
	return c.Run(s, call)
}

// nearest is the command whose name is most like a wrong one; "" when none is.
func nearest(name string) string {
	best, least := "", max(2, len(name)/2)
	for i := range Commands {
		c := &Commands[i]
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if d := distance(strings.ToLower(name), n); d < least {
				best, least = c.Name, d
			}
		}
	}
	return best
}

// distance is how many letters must be inserted, removed, replaced or exchanged with their neighbour to make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			d := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

func (s *Local) help(c *Call) *Error {
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
	const columns = 79 // lines are not broken in a terminal of 80
	var rows [][]string
	row := func(name, doc string) {
		for line := range strings.SplitSeq(strings.TrimRight(wrap(doc, columns-len("%%writefile  ")), "\n"), "\n") {
			rows = append(rows, []string{name, line})
			name = ""
		}
	}
	for i := range Commands {
		name, _, _ := strings.Cut(Commands[i].Usage(), " ")
		row(name, Commands[i].Doc)
	}
	row("!COMMAND", "Run a command of the system's shell.")
	s.table(rows)
	s.print("\n%s\n", strings.TrimRight(wrap("%help NAME tells more of one. Commands stand on lines of their own, above, between or below Go.\n"+
		"Everything else is Go. A cell's last expression is shown; _ is the last shown value; a final ; hides it. "+
		"Where a call returns a value and an error, x := f() takes the value, and an error stops the cell.", columns), "\n"))
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
			b.WriteString(strings.TrimRight(fmt.Sprintf("    %-*s  %s", width, x[0], x[1]), " ") + "\n")
		}
	}
	return b.String()
}

// wrap breaks text into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	n := 0
	for i, word := range strings.FieldsFunc(strings.ReplaceAll(text, "\n", " \n "), func(r rune) bool { return r == ' ' }) {
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
	fmt.Fprintf(s.opt.Stdout, format, args...)
}

// page shows the answer to a question beside the cell's output, where the front end can.
func (s *Local) page(c *Call, b display.Bundle) {
	if c.asked && s.pages {
		c.reply.Pages = append(c.reply.Pages, b)
		return
	}
	s.print("%s\n", b.Text())
}

// table prints rows in columns.
func (s *Local) table(rows [][]string) { s.print("%s", columns(rows)) }

// columns are rows as text.
func columns(rows [][]string) string {
	var text strings.Builder
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
		text.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	return text.String()
}
