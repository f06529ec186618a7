package run

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/gorocm/gorocm/repl/golang/symbols/std"
	"github.com/traefik/yaegi/interp"
)

// What cells write to os.Stdout and os.Stderr goes through the session's writers, which keep the order of the two. A
// file's writes cannot be intercepted; so the functions that cells write with, and those that they give a file to write
// to, get the session's writer in place of the file. What compiled code writes otherwise reaches the file itself.

// writerFor is what stands for a file that was the process's standard output or error when the session began.
func (o *output) writerFor(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && f != nil {
		switch f {
		case o.files[0]:
			return o.stdout
		case o.files[1]:
			return o.stderr
		}
	}
	return w
}

// standardIn is where fmt.Scan reads: os.Stdin, which cells may set. With none, yaegi would give cells a variable of
// its own in the place of os.Stdin.
type standardIn struct{}

func (standardIn) Read(p []byte) (int, error) { return os.Stdin.Read(p) }

// standardOut is where fmt.Print writes: os.Stdout, which cells may set.
type standardOut struct{ e *output }

func (w standardOut) Write(p []byte) (int, error) { return w.e.writerFor(os.Stdout).Write(p) }

// standardErr is where yaegi writes. Its lines that tell where a panic came from are dropped, the rest is the cells'.
type standardErr struct{ e *output }

func (w standardErr) Write(p []byte) (int, error) {
	if s := string(p); strings.HasSuffix(s, "(...)\n") && strings.Contains(s, ": panic: ") {
		return len(p), nil
	}
	return w.e.stderr.Write(p)
}

// standard is the standard library, with functions that write through the session's writers. yaegi takes a table with
// package fmt for the whole library, and must see only one.
func (o *output) standard() interp.Exports {
	r := maps.Clone(interp.Exports(std.Symbols))
	for path, names := range o.writers() {
		r[path] = maps.Clone(r[path])
		maps.Copy(r[path], names)
	}
	return r
}

// writers are functions that write to what they are given.
func (o *output) writers() interp.Exports {
	return interp.Exports{
		"fmt/fmt": {
			"Fprint": reflect.ValueOf(func(w io.Writer, a ...any) (int,
				error) {
				return fmt.Fprint(o.writerFor(w), a...)
			}),
			"Fprintf": reflect.ValueOf(func(w io.Writer, f string, a ...any) (int,
				error) {
				return fmt.Fprintf(o.writerFor(w), f, a...)
			}),
			"Fprintln": reflect.ValueOf(func(w io.Writer, a ...any) (int,
				error) {
				return fmt.Fprintln(o.writerFor(w), a...)
			}),
		},
		"io/io": {
			"WriteString": reflect.ValueOf(func(w io.Writer, s string) (int,
				error) {
				return io.WriteString(o.writerFor(w), s)
			}),
			"Copy": reflect.ValueOf(func(w io.Writer, r io.Reader) (int64,
				error) {
				return io.Copy(o.writerFor(w), r)
			}),
			"MultiWriter": reflect.ValueOf(func(ws ...io.Writer) io.Writer {
				all := make([]io.Writer, len(ws))
				for i, w := range ws {
					all[i] = o.writerFor(w)
				}
				return io.MultiWriter(all...)
			}),
		},
		"bufio/bufio": {
			"NewWriter": reflect.ValueOf(func(w io.Writer) *bufio.Writer {
				return bufio.NewWriter(o.writerFor(w))
			}),
			"NewWriterSize": reflect.ValueOf(func(w io.Writer, n int) *bufio.Writer {
				return bufio.NewWriterSize(o.writerFor(w), n)
			}),
		},
		"encoding/csv/csv": {"NewWriter": reflect.ValueOf(func(w io.Writer) *csv.Writer {
			return csv.NewWriter(o.writerFor(w))
		})},
		"encoding/json/json": {"NewEncoder": reflect.ValueOf(func(w io.Writer) *json.Encoder {
			return json.NewEncoder(o.writerFor(w))
		})},
		"text/tabwriter/tabwriter": {"NewWriter": reflect.ValueOf(func(w io.Writer, min, tab, padding int, pad byte,
			flags uint) *tabwriter.Writer {
			return tabwriter.NewWriter(o.writerFor(w), min, tab, padding, pad, flags)
		})},
	}
}

func (o *output) fileWrite(f *os.File, b []byte) (int, error) { return o.writerFor(f).Write(b) }

func (o *output) fileWriteString(f *os.File, s string) (int, error) {
	return io.WriteString(o.writerFor(f), s)
}

// output is where cells write.
type output struct {
	stdout, stderr io.Writer
	files          [2]*os.File // the process's standard output and error, as they were
}
