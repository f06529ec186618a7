package golang

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What is kept of results: those of the last cells that had one, as far as they are small.
const (
	keptResults = 100
	keptBytes   = 1 << 20
)

// forgotten is why a result is not kept that %reset has dropped.
const forgotten = "it was forgotten"

// results are what cells have shown, by the number of the cell. A cell names one as _3, Out[3], __ or ___; each name has the type of the
// result, and becomes a variable of the session for as long as the cell runs that mentions it.
type results struct {
	pkg   *types.Package
	input func(n int) (string, bool) // the text of a cell
	list  []*result                  // the last ones, oldest first
	first int                        // the first numbered cell that has run, 0 for none
	last  int                        // and the last one
	free  map[string][]*slot         // variables to use again, by type
}

// result is the value that a cell has shown, the first one where it has shown several.
type result struct {
	cell  int
	typ   types.Type
	value reflect.Value         // invalid where it is not kept
	weak  func() any            // of a value that others must keep: it, or nil
	why   string                // it is not kept, or may not be: how much it takes
	names map[string]*types.Var // what it was called
	slot  *slot                 // where the cells that mention it find it; nil until one does
	held  bool                  // functions use the variable, or something has its address: it stays
}

var (
	resultName = regexp.MustCompile(`^(?:_(\d{1,9})|Out\[(\d{1,9})\])$`)
	inputName  = regexp.MustCompile(`^In\[(\d{1,9})\]$`)
)

// isResultName reports whether a name means the result of a cell, or a cell's text, unless somebody has declared it.
func isResultName(name string) bool {
	return name == "__" || name == "___" || resultName.MatchString(name) || inputName.MatchString(name)
}

// number is the cell whose result a name means, 0 where there are not that many.
func (r *results) number(name string) int {
	if m := resultName.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1] + m[2]) // one is empty
		return n
	}
	if back := len(name); strings.Trim(name, "_") == "" && back <= len(r.list) {
		return r.list[len(r.list)-back].cell
	}
	return 0
}

func (r *results) find(cell int) *result {
	for _, x := range r.list {
		if x.cell == cell {
			return x
		}
	}
	return nil
}

// begin notes that a cell runs.
func (r *results) begin(cell int) {
	if cell > 0 && r.first == 0 {
		r.first = cell
	}
	r.last = max(r.last, cell)
}

// object is the variable that a name of a result stands for, or the constant of a cell's text, with its result; nil for any other name
// and for results that are not there any more. The value is kept from being collected by what is returned.
func (r *results) lookup(name string) (o types.Object, x *result, alive any) {
	if m := inputName.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits
		if r.input == nil {
			return nil, nil, nil
		}
		text, ok := r.input(n)
		if !ok {
			return nil, nil, nil
		}
		return types.NewConst(token.NoPos, r.pkg, name, types.Typ[types.String], constant.MakeString(text)), nil, nil
	}
	if !isResultName(name) {
		return nil, nil, nil
	}
	if x = r.find(r.number(name)); x == nil {
		return nil, nil, nil
	}
	switch {
	case x.slot != nil, x.value.IsValid():
	case x.weak != nil:
		if alive = x.weak(); alive == nil {
			return nil, nil, nil
		}
	default:
		return nil, nil, nil
	}
	v := x.names[name]
	if v == nil {
		v = types.NewVar(token.NoPos, r.pkg, name, x.typ)
		x.names[name] = v
	}
	return v, x, alive
}

// missing says why there is no result, for a name that means one; "" for any other.
func (r *results) missing(name string) string {
	switch {
	case name == "Out":
		return "Out[3], with the number itself, is the result of cell 3: its type must be known before the cell runs"
	case name == "In":
		return "In[3], with the number itself, is the text of cell 3"
	case inputName.MatchString(name):
		return "there is no such cell"
	case !isResultName(name):
		return ""
	}
	n := r.number(name)
	if n == 0 && strings.Trim(name, "_") == "" {
		return fmt.Sprintf("fewer than %d cells have shown a value", len(name))
	}
	x := r.find(n)
	switch {
	case n == 0 || n > r.last:
		return fmt.Sprintf("cell %d has not run", n)
	case n < r.first:
		return fmt.Sprintf("the session has begun anew since cell %d: %%replay runs cells again", n)
	case x == nil && len(r.list) == keptResults && n < r.list[0].cell:
		return fmt.Sprintf("only the results of the last %d cells that showed one are kept", keptResults)
	case x == nil:
		return fmt.Sprintf("cell %d has shown no value", n)
	case x.why == forgotten:
		return fmt.Sprintf("the result of cell %d was forgotten", n)
	case x.weak != nil:
		return fmt.Sprintf("the result of cell %d is gone: %s, and no variable holds it any more", n, x.why)
	}
	return fmt.Sprintf("the result of cell %d is not kept: %s; x := … in the cell keeps it in a variable", n, x.why)
}

// add notes the result of a cell. Its value is invalid where nothing has run.
func (r *results) add(x *result) {
	x.names = map[string]*types.Var{}
	r.list = slices.DeleteFunc(r.list, func(y *result) bool { return y.cell == x.cell }) // a cell of several parts
	r.list = append(r.list, x)
	if len(r.list) > keptResults { // one that is held lives on in its variable
		r.list = slices.Delete(r.list, 0, 1)
	}
}

// forget drops the result of a cell, or all of them for 0; what functions use of them they keep. It reports whether there were any.
func (r *results) forget(cell int) (any bool) {
	for _, x := range r.list {
		if cell != 0 && x.cell != cell {
			continue
		}
		any = any || x.slot != nil || x.value.IsValid() || x.weak != nil
		x.slot, x.value, x.weak, x.why, x.names = nil, reflect.Value{}, nil, forgotten, map[string]*types.Var{}
	}
	return any
}

// keepResult notes what a cell has shown, which is the value of _ now.
func (e *Engine) keepResult(cell int, lw *lowered) {
	if cell == 0 || lw.last == nil {
		return
	}
	x := &result{cell: cell, typ: lw.last.Type()}
	v := e.slots[lw.last].ptr.Elem()
	m := e.measure(v)
	x.weak, x.why = m.weak, m.why
	if m.why == "" {
		x.weak = nil
		x.value = reflect.New(v.Type()).Elem()
		x.value.Set(v)
	}
	e.scope.results.add(x)
}

// mentioned is a result that a cell mentions.
type mentionedResult struct {
	*result
	obj   types.Object
	alive any // its value, where only others keep it
}

// insertResult puts what a name of a result stands for into a scope.
func (k *checker) insertResult(s *types.Scope, name string) {
	o, x, alive := k.e.results.lookup(name)
	if o == nil {
		if strings.Contains(name, "[") { // it was there a moment ago; go/types says nothing of what cannot be a name
			k.problems = append(k.problems, problem{pos: k.e.fset.Position(token.NoPos), name: "TypeError", msg: "undefined: " + name, hint: k.e.results.missing(name)})
		}
		return
	}
	s.Insert(o)
	if x != nil && !k.dry {
		k.ck.results[name] = mentionedResult{x, o, alive}
	}
}

// place gives the results that a cell mentions their variables.
func (e *Engine) place(ck *checked) {
	for _, m := range ck.results {
		x := m.result
		if x.slot == nil {
			key := e.typeKey(x.typ)
			if free := e.scope.results.free[key]; len(free) > 0 {
				x.slot, e.scope.results.free[key] = free[len(free)-1], free[:len(free)-1]
			} else {
				x.slot = e.newSlot(x.typ)
			}
			switch {
			case m.alive != nil:
				x.slot.ptr.Elem().Set(reflect.ValueOf(m.alive))
			case x.value.IsValid():
				x.slot.ptr.Elem().Set(x.value)
			}
		}
		e.slots[m.obj] = x.slot
	}
}

// hold notes the results that the code of a cell goes on using after the cell: they stay where they are.
func (e *Engine) hold(ck *checked, l *lowerer) {
	for _, m := range ck.results {
		m.held = m.held || l.kept[m.obj]
		for _, used := range ck.uses {
			m.held = m.held || used[m.obj]
		}
	}
}

// unplace takes the variables of results back after a cell, unless something uses them. What a cell has assigned to one stays there.
// again says that the cell has ended by itself: the variables can be those of other results.
func (e *Engine) unplace(ck *checked, again bool) {
	for _, m := range ck.results {
		x := m.result
		if x.held || x.slot == nil {
			continue
		}
		if x.weak == nil && x.value.IsValid() {
			x.value.Set(x.slot.ptr.Elem())
		}
		x.slot.ptr.Elem().SetZero()
		if key := e.typeKey(x.typ); again {
			e.scope.results.free[key] = append(e.scope.results.free[key], x.slot)
		}
		x.slot = nil
		for _, v := range x.names {
			delete(e.slots, v)
		}
	}
}

// resultValue is the value that a name of a result stands for, as an interface would hold it.
func (e *Engine) resultValue(name string) (any, bool) {
	_, x, alive := e.scope.results.lookup(name)
	switch {
	case x == nil:
		return nil, false
	case alive != nil:
		return alive, true
	case x.slot != nil:
		return e.value(x.slot, x.typ), true
	}
	p := reflect.New(x.value.Type())
	p.Elem().Set(x.value)
	return e.value(&slot{ptr: p}, x.typ), true
}

// cellLabel is how a cell with a number is called in errors.
func cellLabel(n int) string { return "cell[" + strconv.Itoa(n) + "]" }

// Results lists the cells whose results can be had, in the order in which they ran, and the values that are kept for that.
func (e *Engine) Results() (cells []int, kept []any) {
	e.scope.mu.Lock()
	defer e.scope.mu.Unlock()
	for _, x := range e.scope.results.list {
		v, ok := e.resultValue("_" + strconv.Itoa(x.cell))
		if !ok {
			continue
		}
		cells = append(cells, x.cell)
		if x.slot != nil || x.value.IsValid() {
			kept = append(kept, v)
		}
	}
	return cells, kept
}

// ForgetResults drops all results but _, or the one that a name means. It reports whether there was any.
func (e *Engine) ForgetResults(name string) bool {
	e.scope.mu.Lock()
	defer e.scope.mu.Unlock()
	if name == "Out" {
		return e.scope.results.forget(0)
	}
	n := e.scope.results.number(name)
	return n > 0 && e.scope.results.forget(n)
}
