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

// cellLabel is how a cell with a number is called in errors.
func cellLabel(n int) string { return "cell[" + strconv.Itoa(n) + "]" }
