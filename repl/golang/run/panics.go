package run

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
)

// panicFailure makes a failure of a panic's value.
func (rt *Runtime) panicFailure(v any, stack string, t *panicTrace) *check.Failure {
	f := &check.Failure{Name: "Panic", Trace: stack}
	if t.stack != nil {
		f.Trace = t.stack.text()
	}
	v = Unwrap(v)
	switch v := v.(type) {
	case exited:
		return &check.Failure{Name: "Exit", Message: strconv.Itoa(v.code)}
	case interrupted:
		f.Name, f.Message = "Interrupted", "the cell was interrupted"
	case unsupported:
		f.Name, f.Message, f.Notes, f.Trace = v.Name, v.Message, v.Notes, v.Trace
	case failed:
		f.Name, f.Message = "Error", v.err.Error()
		rt.describe(f, v.err)
	case error:
		f.Message = v.Error()
		if t := runtimeText(f.Message); t != f.Message || isRuntime(v) {
			f.Name, f.Message = "RuntimeError", t
			f.Notes = conflictNotes(v)
		} else if !rt.describe(f, v) {
			f.Message = v.Error()
		}
	case string:
		f.Message = v
		if t := runtimeText(v); t != v {
			f.Name, f.Message = "RuntimeError", t
		}
	case fmt.Stringer:
		f.Message = v.String()
	default:
		f.Message = panicText(v)
	}
	if _, stopped := v.(interrupted); len(t.earlier) > 0 && !stopped {
		f.Name, f.Message = "Panic", chained(t.earlier, f.Name, f.Message)
	}
	f.Frames = rt.Traces.frames(t.points)
	if len(f.Frames) > 0 {
		rt.Traces.pointAtCall(&f.Frames[0], f.Trace)
	}
	return f
}

// chained is the message of a panic that followed others, as Go prints it: what came first is the first line.
func chained(earlier []earlierPanic, name, message string) string {
	last := "panic: " + message
	if name == "RuntimeError" && !strings.HasPrefix(message, "interface conversion: ") {
		last = "panic: runtime error: " + message
	} else if name != "Panic" {
		last = name + ": " + message
	}
	var lines []string
	for i, p := range earlier {
		line := "panic: " + valueText(Unwrap(p.value))
		if p.recovered {
			if i == len(earlier)-1 && line == last {
				continue // the same once more
			}
			line += " [recovered]"
		}
		lines = append(lines, line)
	}
	return strings.TrimPrefix(strings.Join(append(lines, last), "\n\t"), "panic: ")
}

// valueText is what Go prints of a panic's value.
func valueText(v any) string {
	switch v := recovered(v).(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case string:
		return v
	default:
		return panicText(v)
	}
}

// panicText spells a panic's value that is neither text nor an error, with its type.
func panicText(v any) string {
	r := reflect.ValueOf(v)
	switch k := r.Kind(); {
	case k == reflect.Invalid:
		return "nil"
	case k <= reflect.Complex128 || k == reflect.String:
		if r.Type().PkgPath() == "" {
			return fmt.Sprintf("%v (%T)", v, v)
		}
		if k == reflect.String {
			return fmt.Sprintf("%T(%q)", v, r.String())
		}
		return fmt.Sprintf("%T(%v)", v, v)
	case k == reflect.Func || k == reflect.Chan || k == reflect.UnsafePointer:
		return fmt.Sprintf("%v (%T)", v, v)
	}
	return fmt.Sprintf("%#v", v)
}

// describe lets the owner of the engine name an error, and reports whether it did.
func (rt *Runtime) describe(f *check.Failure, err error) bool {
	if rt.opt.Describe == nil {
		return false
	}
	name, message, notes, ok := rt.opt.Describe(err)
	if ok {
		f.Name, f.Message, f.Notes = name, message, notes
	}
	return ok
}

func isRuntime(err error) bool {
	r, ok := err.(interface{ RuntimeError() })
	return ok && r != nil
}

// conflictNotes say what to do about a map that goroutines use at the same time.
func conflictNotes(v error) []string {
	if _, ok := v.(machine.Conflict); !ok {
		return nil
	}
	return []string{"another goroutine uses the map at the same time: guard it with a sync.Mutex, or take a sync.Map"}
}

// reflectTexts are what package reflect says where compiled code would have had a runtime error.
var reflectTexts = []struct{ has, text string }{
	{"slice index out of range", "index out of range"},
	{"array index out of range", "index out of range"},
	{"string index out of range", "index out of range"},
	{"slice index out of bounds", "slice bounds out of range"},
	{"using zero Value argument", "invalid memory address or nil pointer dereference"},
	{"call of nil function", "invalid memory address or nil pointer dereference"},
	{"Method on nil interface value", "invalid memory address or nil pointer dereference"},
	{"slice overflow", "growslice: len out of range"},
	{"len > cap", "makeslice: cap out of range"},
	{"negative buffer size", "makechan: size out of range"},
	{"negative len", "makeslice: len out of range"},
	{"negative cap", "makeslice: cap out of range"},
	{"on zero Value", "invalid memory address or nil pointer dereference"},
}

func runtimeText(s string) string {
	s = strings.TrimPrefix(s, "runtime error: ")
	if m := conversionRE.FindStringSubmatch(s); m != nil {
		return m[1] // without yaegi's own position
	}
	if strings.HasPrefix(s, "reflect") {
		for _, t := range reflectTexts {
			if strings.Contains(s, t.has) {
				return t.text
			}
		}
	}
	return s
}

// where is the place of the last statement that the cell began.
func (t *Traces) where(m *Mark) []check.Frame {
	if m == nil {
		return nil
	}
	line, col := m.At()
	return []check.Frame{t.scope.Frame(check.Position(m.Cell, line, col), "")}
}

// ShortArray is the runtime's own error of the conversion of a slice to an array that is longer.
func ShortArray(slice, array int) any {
	r := reflect.New(reflect.TypeOf(boundsOfArray)).Elem()
	r.Set(reflect.ValueOf(boundsOfArray))
	for i := range 2 {
		f := r.Field(i)
		n := []int{slice, array}[f.Int()]
		reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetInt(int64(n))
	}
	return r.Interface()
}

// boundsOfArray is such an error. Its first two fields are the lengths, of the slice 0 and of the array 1.
var boundsOfArray = func() (err any) {
	defer func() { err = recover() }()
	return [1]int(make([]int, 0))
}()

var conversionRE = regexp.MustCompile(`^(?:\d+:\d+: )?(interface conversion: .*)$`)

// compiledRE finds the compiled function that a cell has called, by reflection or by package machine, also through one
// of the session's own that stands in for it.
var compiledRE = regexp.MustCompile(`\n(\S+)\(.*\)\n\t[^\n]*\n` +
	`(?:github\.com/gorocm/gorocm/repl/golang(?:/\w+)?\.[^\n]*\n\t[^\n]*\n)?` +
	`(?:reflect\.Value\.call\(|github\.com/gorocm/gorocm/repl/golang/machine\.)`)

// pointAtCall moves the caret to the compiled call that panicked: the Go stack names it, and the line of the cell has
// it.
func (t *Traces) pointAtCall(f *check.Frame, stack string) {
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		stack = stack[i:]
	}
	if i := strings.Index(stack, "\ngithub.com/gorocm/gorocm/repl/golang/native."); i >= 0 {
		stack = stack[:i+1] // what comes behind has called the machine code that panicked
	}
	m := compiledRE.FindStringSubmatch(stack)
	if m == nil || f.Source == "" {
		return
	}
	name := m[1][strings.LastIndexByte(m[1], '.')+1:]
	if !ast.IsExported(name) {
		return
	}
	lines := t.scope.Sources.Lines(f.Cell)
	for line, from := f.Line, max(f.Column-1, 0); line <= len(lines) && line < f.Line+callLines; line, from = line+1,
		0 {
		src := lines[line-1]
		if from > len(src) {
			continue
		}
		if i := strings.Index(src[from:], name+"("); i >= 0 && (from+i == 0 || !check.IsIdentByte(src[from+i-1])) {
			f.Line, f.Column, f.Source = line, from+i+1, src
			return
		}
	}
}

// callLines is how many lines of a statement are searched for the call that failed.
const callLines = 20
