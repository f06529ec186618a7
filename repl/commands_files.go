package repl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/golang"
)

// expand is a path as users write it: ~ is the home directory, $NAME a variable, and quotes may be around it.
func expand(path string) string {
	if n := len(path); n > 1 && (path[0] == '"' || path[0] == '\'') && path[n-1] == path[0] {
		path = path[1 : n-1]
	}
	path = os.ExpandEnv(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			path = home + path[1:]
		}
	}
	return path
}

// openError is the error of a file that could not be opened or read, without the name of the system call.
func openError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

func (c *Call) cd() *Error {
	s := c.session
	set, dir, wrong := c.options("q")
	if wrong != nil {
		return wrong
	}
	now, err := os.Getwd()
	if err != nil {
		now = ""
	}
	switch {
	case c.Args == "-" || dir == "-":
		if dir = s.before; dir == "" {
			return c.wrong("there is no directory to go back to")
		}
	case dir == "":
		dir = "~"
		fallthrough
	default:
		dir = expand(dir)
	}
	if err := os.Chdir(dir); err != nil {
		return c.failed(openError(err))
	}
	if s.home == "" {
		s.home = now
	}
	s.before = now
	s.record(fmt.Sprintf("os.Chdir(%q);", dir), false)
	if _, quiet := set['q']; !quiet {
		return (&Call{session: s, command: c.command}).pwd()
	}
	return nil
}

func (c *Call) pwd() *Error {
	s := c.session
	if err := c.noArgs(); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return c.failed(err)
	}
	s.print("%s\n", dir)
	return nil
}

func (c *Call) env() *Error {
	s := c.session
	name, value, isSet := strings.Cut(c.Args, "=")
	if first, rest := firstWord(c.Args); !isSet || strings.ContainsAny(strings.TrimSpace(name), " \t") {
		name, value, isSet = first, rest, rest != ""
	}
	name = strings.TrimSpace(name)
	switch {
	case name == "" && !isSet:
		list := os.Environ()
		slices.Sort(list)
		s.print("%s\n", strings.Join(list, "\n"))
		return nil
	case name == "":
		return c.wrong("a name is missing")
	case !isSet:
		v, ok := os.LookupEnv(name)
		if !ok {
			return c.failed(fmt.Errorf("%s is not set", name))
		}
		s.print("%s\n", v)
		return nil
	}
	value = os.ExpandEnv(strings.TrimSpace(value))
	if _, known := s.environment[name]; !known {
		if s.environment == nil {
			s.environment = map[string]*string{}
		}
		s.environment[name] = nil
		if old, ok := os.LookupEnv(name); ok {
			s.environment[name] = &old
		}
	}
	if err := os.Setenv(name, value); err != nil {
		return c.failed(err)
	}
	s.record(fmt.Sprintf("os.Setenv(%q, %q);", name, value), false)
	s.print("env: %s=%s\n", name, value)
	return nil
}

// spacesOnly is a line of spaces, such as one where a package clause was.
var spacesOnly = regexp.MustCompile(`\n[ \t]+\n`)

func (c *Call) load() *Error {
	set, path, wrong := c.options("r:")
	if wrong != nil {
		return wrong
	}
	if path == "" {
		return c.wrong("a file is missing")
	}
	file, err := readCells(expand(path))
	if err != nil {
		return c.failed(openError(err))
	}
	var texts []string
	for _, cell := range file.Cells {
		if cell.Kind == cells.Code {
			texts = append(texts, strings.TrimSpace(spacesOnly.ReplaceAllString(cell.Source, "\n")))
		}
	}
	text := strings.Join(texts, "\n\n"+cells.Mark+"\n")
	if r, ok := set['r']; ok {
		list, err := spans(r)
		if err != nil {
			return c.wrong("%v", err)
		}
		var lines []string
		for i, l := range strings.Split(text, "\n") {
			if within(list, i+1) {
				lines = append(lines, l)
			}
		}
		text = strings.Join(lines, "\n")
	}
	c.reply.Next = "// %load " + c.Args + "\n" + text
	return nil
}

// readCells reads a file of cells. It refuses pipes: nothing would end a cell that waits for one.
func readCells(path string) (cells.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return cells.File{}, fmt.Errorf("%s is a pipe: cells are read from files", path)
	}
	return cells.Read(path)
}

// maxRunning is how many files %run runs inside one another, at most.
const maxRunning = 64

func (c *Call) writeFile() *Error {
	s := c.session
	set, path, wrong := c.options("a")
	if wrong != nil {
		return wrong
	}
	if path == "" {
		return c.wrong("a file is missing")
	}
	if c.Body == "" {
		return c.wrong("the lines of the file are missing below")
	}
	flags, how, done := os.O_WRONLY|os.O_CREATE|os.O_TRUNC, "os.O_WRONLY|os.O_CREATE|os.O_TRUNC", "written"
	if _, more := set['a']; more {
		flags, how, done = os.O_WRONLY|os.O_CREATE|os.O_APPEND, "os.O_WRONLY|os.O_CREATE|os.O_APPEND", "appended"
	}
	f, err := os.OpenFile(expand(path), flags, 0o666)
	if err == nil {
		text := strings.TrimRight(c.Body, "\n") + "\n"
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
		done = fmt.Sprintf("%s %s", count(strings.Count(text, "\n"), "line"), done)
	}
	if err != nil {
		return c.failed(openError(err))
	}
	recordAside(s, fmt.Sprintf(`func() {
	f, err := os.OpenFile(%q, %s, 0o666)
	if err == nil {
		_, err = f.WriteString(%q)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		log.Fatal(err)
	}
}();`, expand(path), how, strings.TrimRight(c.Body, "\n")+"\n"))
	s.print("%s: %s\n", path, done)
	return nil
}

func (c *Call) run() *Error {
	s := c.session
	_, rest, wrong := c.options("i") // IPython's way to say in this session, which is so here anyway
	if wrong != nil {
		return wrong
	}
	words, err := fields(rest)
	if err != nil {
		return c.wrong("%v", err)
	}
	if len(words) == 0 {
		return c.wrong("a file is missing")
	}
	path := expand(words[0])
	if s.running == maxRunning {
		return c.failed(fmt.Errorf("%s is not run: %d files have run one another, and none has ended", path, maxRunning))
	}
	s.running++
	defer func() { s.running-- }()
	file, err := readCells(path)
	if err != nil {
		return c.failed(openError(err))
	}
	restore, wrong := s.arguments(c, append([]string{path}, words[1:]...))
	if wrong != nil {
		return wrong
	}
	defer restore()
	for i, cell := range file.Cells {
		if cell.Kind != cells.Code || strings.TrimSpace(cell.Source) == "" {
			continue
		}
		name, code := filepath.Base(path), cell.Source
		if cell.Line > 0 {
			code = strings.Repeat("\n", cell.Line-1) + code // the lines of errors are the file's
		} else {
			name = fmt.Sprintf("%s[%d]", name, i+1)
		}
		s.cell(c.ctx, name, code, 0, c.reply)
		if c.reply.Err != nil || c.reply.Exit != nil {
			return c.reply.Err
		}
	}
	return nil
}

// arguments gives cells other os.Args, until restore is called.
func (s *Local) arguments(c *Call, args []string) (restore func(), wrong *Error) {
	e := s.current()
	set := func(to []string) golang.Outcome {
		return e.EvalNamed(c.ctx, "run", fmt.Sprintf("os.Args = %#v;", to))
	}
	before := e.Expr(c.ctx, "run", "os.Args")
	if before.Failure != nil {
		return nil, toError(before.Failure)
	}
	if out := set(args); out.Failure != nil {
		return nil, toError(out.Failure)
	}
	if len(args) > 1 {
		s.record(fmt.Sprintf("os.Args = %#v", args), false)
	}
	old, _ := before.Values[0].V.([]string)
	return func() { set(old) }, nil
}

// fields splits arguments at spaces, as a shell does: what stands in quotes stays together.
func fields(text string) ([]string, error) {
	var list []string
	var word strings.Builder
	quote, in := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				list = append(list, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c has no end", quote)
	}
	if in {
		list = append(list, word.String())
	}
	return list, nil
}
