package golang

import (
	"go/types"
	"reflect"
	"strconv"
)

// numberResult gives the result of a step the names by which later steps mention it, and a variable of its own for that. Nothing has run:
// of values, results of a program have none.
func (p *savedProgram) numberResult(st *savedStep, cell int) {
	if cell == 0 {
		return
	}
	t := st.shown.Type()
	x := &result{cell: cell, typ: t, value: reflect.New(p.e.inner(t)).Elem()}
	p.e.results.add(x)
	st.result = types.NewVar(st.shown.Pos(), p.e.pkg, "result"+strconv.Itoa(cell), t)
	p.results[x] = st.result
	p.addVariable(st.result)
}

// bindResults notes which results a step mentions.
func (p *savedProgram) bindResults(ck *checked) {
	for _, m := range ck.results {
		p.next[m.obj] = p.results[m.result]
		for _, used := range ck.uses {
			p.read[p.results[m.result]] = p.read[p.results[m.result]] || used[m.obj]
		}
	}
}

// keptIn are the variables that take what a step shows: that of _, and the result's own.
func (p *savedProgram) keptIn(st *savedStep) (vars []types.Object) {
	if st.shown != nil && st.keeps {
		vars = append(vars, st.shown)
	}
	if st.result != nil && (p.read[st.result] || p.global[st.result]) {
		vars = append(vars, st.result)
	}
	return vars
}
