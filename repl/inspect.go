package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/tensor"
)

// inspect describes what stands at the cursor: a command, or Go.
func (s *Local) inspect(code string, cursor, detail int) Inspection {
	if in, ok := inspectCommand(code, cursor); ok {
		return in
	}
	e := s.current()
	d, ok := e.Describe(s.onlyGo(code), cursor, detail)
	if !ok {
		return Inspection{}
	}
	if d.Var != "" && !e.Peek(d.Var, func(v any) { d.Facts = facts(v) }) {
		d.Notes = append(d.Notes, "(the value is not shown while a cell runs)")
	}
	return Inspection{Found: true, Data: display.Bundle{display.MIMEText: d.Text(), display.MIMEHTML: d.HTML()}}
}

// inspectCommand describes the command whose name the cursor is in.
func inspectCommand(code string, cursor int) (Inspection, bool) {
	start := strings.LastIndexByte(code[:cursor], '\n') + 1
	end := start + strings.IndexAny(code[start:]+"\n", "\n")
	line := strings.TrimLeft(code[start:end], " \t?")
	at := end - len(line)
	if !strings.HasPrefix(line, "%") || cursor < at {
		return Inspection{}, false
	}
	word := line
	if i := strings.IndexAny(line, " \t?"); i >= 0 {
		word = line[:i]
	}
	c := commandNames[strings.TrimLeft(word, "%")]
	if c == nil || cursor > at+len(word) {
		return Inspection{}, false
	}
	d := golang.Description{Name: c.Name, Kind: "command", Decl: strings.TrimSpace("%" + c.Name + " " + c.Args),
		Doc: c.Doc}
	return Inspection{Found: true, Data: display.Bundle{display.MIMEText: d.Text(), display.MIMEHTML: d.HTML()}}, true
}

// facts are what can be told of a value without running code of it, and without waiting for a device.
func facts(v any) (r []golang.Fact) {
	defer func() {
		if recover() != nil { // a goroutine of the user's may write the value meanwhile
			r = []golang.Fact{{Name: "value", Text: "(cannot be read now)"}}
		}
	}()
	if t, ok := v.(*tensor.Tensor); ok && t != nil {
		return tensorFacts(t)
	}
	return peek(v)
}

// shownElems is how many elements of a tensor on the host are told.
const shownElems = 6

func tensorFacts(t *tensor.Tensor) []golang.Fact {
	layout := "contiguous"
	if !t.IsContiguous() {
		layout = fmt.Sprintf("view with strides %v", t.Strides())
	}
	r := []golang.Fact{{Name: "shape", Text: fmt.Sprint(t.Shape())}, {Name: "dtype", Text: t.DType().String()},
		{Name: "device", Text: t.Device().String()},
		{Name: "bytes", Text: size(int64(t.Bytes()))}, {Name: "layout", Text: layout}}
	// a device would have to be waited for
	if n := min(t.ElemCount(), shownElems); t.Device().IsCPU() && t.IsContiguous() && n > 0 {
		text := strings.Trim(fmt.Sprint(t.Reshape(-1).Narrow(0, 0, n).Float64s()), "[]")
		if n < t.ElemCount() {
			text += " …"
		}
		r = append(r, golang.Fact{Name: "values", Text: text})
	}
	return r
}

func sortMatches(ms []Match) {
	slices.SortFunc(ms, func(a, b Match) int { return strings.Compare(a.Text, b.Text) })
}
