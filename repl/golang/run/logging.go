package run

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"sync"
	"unsafe"
	"weak"
)

// Packages log and log/slog are the process's own: what a cell sets holds for compiled code, too, and for slog's
// default handler. Only where they find the line of their caller do they find one of the interpreter, which is replaced
// by the cell's.

// takeLog gives the session the process's loggers as a process begins with them, unless the program has set them up for
// itself. They are those of the session that has begun last.
func (ls *logs) takeLog() {
	taken.Lock()
	defer taken.Unlock()
	if taken.logger == nil {
		if log.Writer() != logsFirst {
			return
		}
		taken.logger = slog.Default()
	}
	slog.SetDefault(taken.logger)
	log.SetOutput(logWriter{sessionErr{weak.Make(ls.output)}, weak.Make(ls)})
	log.SetFlags(log.LstdFlags)
	log.SetPrefix("")
}

// logsFirst is what package log writes to when a process begins.
var logsFirst = log.Writer()

// taken holds the default logger of package slog, once a session has taken the process's loggers.
var taken struct {
	sync.Mutex
	logger *slog.Logger
}

// sessionErr is the standard error of a session, or, when that is gone, of the process: the process's logger must not
// keep a session.
type sessionErr struct{ e weak.Pointer[output] }

func (w sessionErr) Write(p []byte) (int, error) {
	if e := w.e.Value(); e != nil {
		return e.stderr.Write(p)
	}
	return os.Stderr.Write(p)
}

// logWriter is what a logger writes to: lines of the interpreter become the cell's.
type logWriter struct {
	io.Writer
	e weak.Pointer[logs]
}

func (w logWriter) Write(p []byte) (int, error) {
	q := p
	if e := w.e.Value(); e != nil {
		q = e.relocated(p)
	}
	n, err := w.Writer.Write(q)
	if n == len(q) {
		n = len(p)
	}
	return n, err
}

func (ls *logs) logWriter(w io.Writer) io.Writer { return logWriter{ls.writerFor(w), weak.Make(ls)} }

// logging is package log, all of which yaegi would otherwise have write to another logger. Fatal ends the cell, not the
// process.
func (ls *logs) logging() map[string]reflect.Value {
	return map[string]reflect.Value{
		"New": reflect.ValueOf(func(w io.Writer, prefix string, flag int) *log.Logger {
			return log.New(ls.logWriter(w), prefix, flag)
		}),
		"SetOutput": reflect.ValueOf(func(w io.Writer) { log.SetOutput(ls.logWriter(w)) }),
		"Writer": reflect.ValueOf(func() io.Writer {
			if w, ok := log.Writer().(logWriter); ok {
				return w.Writer
			}
			return log.Writer()
		}),
		"Default":   reflect.ValueOf(log.Default),
		"Flags":     reflect.ValueOf(log.Flags),
		"SetFlags":  reflect.ValueOf(log.SetFlags),
		"Prefix":    reflect.ValueOf(log.Prefix),
		"SetPrefix": reflect.ValueOf(log.SetPrefix),
		"Print":     reflect.ValueOf(log.Print),
		"Printf":    reflect.ValueOf(log.Printf),
		"Println":   reflect.ValueOf(log.Println),
		"Panic":     reflect.ValueOf(log.Panic),
		"Panicf":    reflect.ValueOf(log.Panicf),
		"Panicln":   reflect.ValueOf(log.Panicln),
		"Output": reflect.ValueOf(func(depth int,
			s string) error {
			return ls.loggerOutput(log.Default(), depth, s)
		}),
		"Fatal":   reflect.ValueOf(func(v ...any) { ls.logFatal(log.Default(), v...) }),
		"Fatalf":  reflect.ValueOf(func(f string, v ...any) { ls.logFatalf(log.Default(), f, v...) }),
		"Fatalln": reflect.ValueOf(func(v ...any) { ls.logFatalln(log.Default(), v...) }),
	}
}

// loggerOutput is a logger's Output: depth counts the functions of cells.
func (ls *logs) loggerOutput(l *log.Logger, depth int, s string) error {
	if l.Flags()&(log.Lshortfile|log.Llongfile) == 0 {
		return l.Output(depth, s)
	}
	g, _ := goroutine()
	ls.logDepths.Store(g, depth)
	defer ls.logDepths.Delete(g)
	return l.Output(1, s)
}

// relocated is what a logger writes, with the line of the cell in place of one of the interpreter.
func (ls *logs) relocated(p []byte) []byte {
	if !bytes.Contains(p, []byte(".go:")) {
		return p
	}
	callers := ls.callStack()
	for i, c := range callers {
		for _, f := range c.via {
			for _, short := range []bool{false, true} {
				was := logged(f.File, f.Line, short)
				if !bytes.Contains(p, was) {
					continue
				}
				_, file, line := callers[ls.logDepth(i, len(callers))].fileLine()
				return bytes.Replace(p, was, logged(file, line, short), 1)
			}
		}
	}
	return p
}

// logged is a line of a file as a logger writes it.
func logged(file string, line int, short bool) []byte {
	if short {
		file = filepath.Base(file)
	}
	return []byte(file + ":" + strconv.Itoa(line) + ": ")
}

// logDepth is which of n callers a logger is to name, where its caller is the one at i.
func (ls *logs) logDepth(i, n int) int {
	g, _ := goroutine()
	if depth, ok := ls.logDepths.Load(g); ok {
		i += depth.(int) - 1
	}
	return min(max(i, 0), n-1)
}

// structuredLogging is what of package log/slog tells lines.
func (ls *logs) structuredLogging() map[string]reflect.Value {
	return map[string]reflect.Value{
		"NewTextHandler": reflect.ValueOf(func(w io.Writer, o *slog.HandlerOptions) *slog.TextHandler {
			return slog.NewTextHandler(ls.writerFor(w), ls.sourced(o))
		}),
		"NewJSONHandler": reflect.ValueOf(func(w io.Writer, o *slog.HandlerOptions) *slog.JSONHandler {
			return slog.NewJSONHandler(ls.writerFor(w), ls.sourced(o))
		}),
	}
}

// sourced are the options of a handler with sources that are the cell's lines.
func (ls *logs) sourced(o *slog.HandlerOptions) *slog.HandlerOptions {
	if o == nil || !o.AddSource {
		return o
	}
	c := *o
	c.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if s, ok := a.Value.Any().(*slog.Source); ok && len(groups) == 0 && a.Key == slog.SourceKey {
			switch {
			case isMachinery(s.Function):
				a.Value = slog.AnyValue(ls.sourceOfLog(*s))
			case s.Function == "": // of no compiled function
				if at, ok := ls.handledSite(); ok {
					a.Value = slog.AnyValue(at.source())
				}
			}
		}
		if o.ReplaceAttr != nil {
			return o.ReplaceAttr(groups, a)
		}
		return a
	}
	return &c
}

// recordSource is the Source of a record that is being handled.
func (ls *logs) recordSource(r slog.Record) *slog.Source {
	if at, ok := siteAt(r.PC); ok {
		return at.source()
	}
	s := r.Source()
	if s != nil && isMachinery(s.Function) {
		s = ls.sourceOfLog(*s)
	}
	return s
}

// source is the site as package slog tells it.
func (p site) source() *slog.Source { return &slog.Source{Function: p.fn, File: p.file, Line: p.line} }

// handledSite is the site of the record that a handler of package slog is handling on this goroutine: a program that
// makes records itself gives them program counters of its own runtime.Callers. The handler passes the record on at the
// low end of its frame.
func (ls *logs) handledSite() (site, bool) {
	s := stackWalk{traces: ls.Traces}
	s.copy()
	for f := range s.frames {
		for _, fn := range expand(f.pc) {
			if fn.Function != "log/slog.(*TextHandler).Handle" && fn.Function != "log/slog.(*JSONHandler).Handle" {
				continue
			}
			pc, _ := s.at(f.low + unsafe.Offsetof(slog.Record{}.PC))
			at, ok := siteAt(pc)
			return at.site, ok
		}
	}
	return site{}, false
}

// sourceOfLog is the function of a cell in whose place package slog has found one of the interpreter.
func (ls *logs) sourceOfLog(s slog.Source) *slog.Source {
	for _, c := range ls.callStack() {
		for _, f := range c.via {
			if f.File == s.File && f.Line == s.Line {
				fn, file, line := c.fileLine()
				return &slog.Source{Function: fn, File: file, Line: line}
			}
		}
	}
	return &s
}

// logs stand in for packages log and log/slog.
type logs struct {
	*output
	*Traces
	*exits
	logDepths sync.Map // of goroutines that call a logger's Output: which of their callers it is to name
}
