package golang

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/lower"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// Native tells what has become of a function of a cell: Bytes of machine code, or why it is interpreted.
type Native struct {
	Name  string
	Bytes int
	Why   string
	Where string // the cell and the line of what is not compiled
}

// Interprets says why all functions of cells are interpreted, "" if they become machine code where they can.
func (e *Engine) Interprets() string { return native.Disabled() }

// Natives are the functions that cells have declared, in the order of their names. It may be called while a cell runs.
func (e *Engine) Natives() (list []Native) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, n := range e.state.Natives() {
		name, _, _ := strings.Cut(n.Name, "[") // of an instance
		if b := e.scope.Bindings[name]; b != nil {
			if _, ok := b.Object.(*types.Func); ok {
				list = append(list, nativeOf(n))
			}
		} else if e.scope.Methods[name] != nil {
			list = append(list, nativeOf(n))
		}
	}
	return list
}

func nativeOf(n lower.Native) Native {
	r := Native{Name: n.Name, Bytes: n.Bytes, Why: n.Why}
	if n.At.IsValid() {
		r.Where = fmt.Sprintf("%s, line %d", n.At.Filename, n.At.Line)
	}
	return r
}

// NativeLoops are the loops among the statements of the last cell that had any, and function literals of what is
// interpreted, by their places: "loop in cell[2], line 3". It may be called while a cell runs.
func (e *Engine) NativeLoops() (list []Native) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, n := range e.state.Loops() {
		list = append(list, nativeOf(n))
	}
	return list
}
