package repl

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/modules"
)

// valueFlags are the flags of go test that the next word is the value of.
var valueFlags = []string{"asmflags", "bench", "benchtime", "blockprofile", "count", "covermode", "coverpkg",
	"coverprofile", "cpu", "cpuprofile", "exec", "fuzz", "fuzzminimizetime", "fuzztime", "gcflags", "ldflags", "list",
	"memprofile", "o", "outputdir", "p", "parallel", "run", "shuffle", "skip", "tags", "timeout", "trace", "vet"}

// test runs the tests of the cells, or with the go command those of packages.
func (c *Call) test() *Error {
	args, err := fields(c.Args)
	if err != nil {
		return c.wrong("%v", err)
	}
	if packages := operands(args); len(packages) > 0 {
		return c.testPackages(args, packages)
	}
	s := c.session
	out, done, err := s.outputFile()
	if err != nil {
		return c.failed(err)
	}
	code, f, err := s.current().Test(c.ctx, args, out)
	done()
	switch {
	case f != nil:
		return toError(f)
	case err != nil:
		e := c.wrong("%s", strings.ReplaceAll(err.Error(), "test.", ""))
		e.Notes = append(e.Notes, "tests of a package take all flags of go test, such as -fuzz and -race: %save FOLDER/, "+
			"then %test ./FOLDER and the flags")
		return e
	case code != 0:
		return &Error{Name: "TestError", Message: "tests of the cells have failed"}
	}
	return nil
}

// vet says whether cells get notes of go vet's.
func (c *Call) vet() *Error {
	e := c.session.current()
	switch c.Args {
	case "on", "off":
		e.SetVet(c.Args == "on")
	case "":
		c.session.print("%s\n", map[bool]string{true: "on", false: "off"}[e.Vets()])
	default:
		return c.wrong("%s is neither on nor off", c.Args)
	}
	return nil
}

func completeSwitch(_ *Local, args string) Completion { return words(args, "", []string{"on", "off"}) }

// operands are the words that are neither flags nor their values.
func operands(args []string) (list []string) {
	for i := 0; i < len(args); i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		name = strings.TrimPrefix(name, "-")
		switch {
		case name == "args" && isFlag:
			return list
		case !isFlag:
			list = append(list, args[i])
		case slices.Contains(valueFlags, name):
			i++
		}
	}
	return list
}

// testPackages runs go test: in a folder that it is given, in the working directory for other paths of files, in the
// session's module for packages that cells can import.
func (c *Call) testPackages(args, packages []string) *Error {
	goCommand, err := modules.GoCommand()
	if err != nil {
		return getError(c, err)
	}
	settings, dir := "", ""
	switch first := packages[0]; {
	case slices.ContainsFunc(packages, func(p string) bool { return isLocal(p) != isLocal(first) }):
		return c.wrong("folders and import paths cannot be tested together")
	case isLocal(first):
		if st, err := os.Stat(expand(first)); len(packages) == 1 && err == nil && st.IsDir() {
			dir = expand(first)
			i := slices.Index(args, first)
			args = slices.Delete(args, i, i+1)
		}
	default:
		dir = c.session.current().ModuleDir()
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			return &Error{Name: "ImportError", Message: "no module has been added that has package " + first,
				Notes: []string{"%get " + first}}
		}
		settings = "GOWORK=off GOFLAGS=-mod=mod "
	}
	line := settings + "exec " + quote(goCommand) + " test"
	for _, a := range args {
		line += " " + quote(a)
	}
	if dir != "" {
		line = "cd " + quote(dir) + " && " + line
	}
	return c.session.shell(c.ctx, line)
}

// isLocal reports whether a package is named by its folder.
func isLocal(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return first == "." || first == ".." || first == "~" || filepath.IsAbs(p)
}

// quote makes one word of the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// outputFile is the cell's output as a file, until done is called.
func (s *Local) outputFile() (f *os.File, done func(), err error) {
	if o, ok := s.opt.Stdout.(interface{ File() *os.File }); ok {
		if f := o.File(); f != nil {
			return f, func() {}, nil
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(s.opt.Stdout, r) // a cell whose output cannot be written ends by itself
	}()
	return w, func() {
		w.Close()
		<-copied
		r.Close()
	}, nil
}
