package check

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
	KeptResults = 100
	KeptBytes   = 1 << 20
)

// forgotten is why a result is not kept that %reset has dropped.
const forgotten = "it was forgotten"

// Results are what cells have shown, by the number of the cell. A cell names one as _3, Out[3], __ or ___; each name
// has the type of the result, and becomes a variable of the session for as long as the cell runs that mentions it.
type Results struct {
	pkg   *types.Package
	input func(n int) (string, bool) // the text of a cell
	List  []*Result                  // the last ones, oldest first
	first int                        // the first numbered cell that has run, 0 for none
	last  int                        // and the last one
}

// Result is the value that a cell has shown, the first one where it has shown several.
type Result struct {
	Cell  int
	Type  types.Type
	Value reflect.Value         // invalid where it is not kept
	Weak  func() any            // of a value that others must keep: it, or nil
	Why   string                // it is not kept, or may not be: how much it takes
	Names map[string]*types.Var // what it was called
	Slot  *Slot                 // where the cells that mention it find it; nil until one does
	Users int                   // cells that run and mention it
	Held  bool                  // functions use the variable, or something has its address: it stays
}

var (
	resultName = regexp.MustCompile(`^(?:_(\d{1,9})|Out\[(\d{1,9})\])$`)
	inputName  = regexp.MustCompile(`^In\[(\d{1,9})\]$`)
)

// IsResultName reports whether a name means the result of a cell, or a cell's text, unless somebody has declared it.
func IsResultName(name string) bool {
	return name == "__" || name == "___" || resultName.MatchString(name) || inputName.MatchString(name)
}

// Number is the cell whose result a name means, 0 where there are not that many.
func (r *Results) Number(name string) int {
	if m := resultName.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1] + m[2]) // one is empty
		return n
	}
	if back := len(name); strings.Trim(name, "_") == "" && back <= len(r.List) {
		return r.List[len(r.List)-back].Cell
	}
	return 0
}

func (r *Results) find(cell int) *Result {
	for _, x := range r.List {
		if x.Cell == cell {
			return x
		}
	}
	return nil
}

// Begin notes that a cell runs.
func (r *Results) Begin(cell int) {
	if cell > 0 && r.first == 0 {
		r.first = cell
	}
	r.last = max(r.last, cell)
}

// Lookup is the variable that a name of a result stands for, or the constant of a cell's text, with its result; nil for
// any other name and for results that are not there any more. The value is kept from being collected by what is
// returned.
func (r *Results) Lookup(name string) (o types.Object, x *Result, alive any) {
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
	if !IsResultName(name) {
		return nil, nil, nil
	}
	if x = r.find(r.Number(name)); x == nil {
		return nil, nil, nil
	}
	switch {
	case x.Slot != nil, x.Value.IsValid():
	case x.Weak != nil:
		if alive = x.Weak(); alive == nil {
			return nil, nil, nil
		}
	default:
		return nil, nil, nil
	}
	v := x.Names[name]
	if v == nil {
		v = types.NewVar(token.NoPos, r.pkg, name, x.Type)
		x.Names[name] = v
	}
	return v, x, alive
}

// missing says why there is no result, for a name that means one; "" for any other.
func (r *Results) missing(name string) string {
	switch {
	case name == "Out":
		return "Out[3], with the number itself, is the result of cell 3: its type must be known before the cell runs"
	case name == "In":
		return "In[3], with the number itself, is the text of cell 3"
	case inputName.MatchString(name):
		return "there is no such cell"
	case !IsResultName(name):
		return ""
	}
	n := r.Number(name)
	if n == 0 && strings.Trim(name, "_") == "" {
		return fmt.Sprintf("fewer than %d cells have shown a value", len(name))
	}
	x := r.find(n)
	switch {
	case n == 0 || n > r.last:
		return fmt.Sprintf("cell %d has not run", n)
	case n < r.first:
		return fmt.Sprintf("the session has begun anew since cell %d: %%replay runs cells again", n)
	case x == nil && len(r.List) == KeptResults && n < r.List[0].Cell:
		return fmt.Sprintf("only the results of the last %d cells that showed one are kept", KeptResults)
	case x == nil:
		return fmt.Sprintf("cell %d has shown no value", n)
	case x.Why == forgotten:
		return fmt.Sprintf("the result of cell %d was forgotten", n)
	case x.Weak != nil:
		return fmt.Sprintf("the result of cell %d is gone: %s, and no variable holds it any more", n, x.Why)
	}
	return fmt.Sprintf("the result of cell %d is not kept: %s; x := … in the cell keeps it in a variable", n, x.Why)
}

// Add notes the result of a cell. Its value is invalid where nothing has run.
func (r *Results) Add(x *Result) {
	x.Names = map[string]*types.Var{}
	r.List = slices.DeleteFunc(r.List, func(y *Result) bool { return y.Cell == x.Cell }) // a cell of several parts
	r.List = append(r.List, x)
	if len(r.List) > KeptResults { // one that is held lives on in its variable
		r.List = slices.Delete(r.List, 0, 1)
	}
}

// Forget drops the result of a cell, or all of them for 0; what functions use of them they keep. It reports whether
// there were any.
func (r *Results) Forget(cell int) (any bool) {
	for _, x := range r.List {
		if cell != 0 && x.Cell != cell {
			continue
		}
		any = any || x.Slot != nil || x.Value.IsValid() || x.Weak != nil
		x.Slot, x.Value, x.Weak, x.Why, x.Names = nil, reflect.Value{}, nil, forgotten, map[string]*types.Var{}
	}
	return any
}

// MentionedResult is a result that a cell mentions.
type mentionedResult struct {
	*Result
	Obj   types.Object
	Alive any // its value, where only others keep it
}

// insertResult puts what a name of a result stands for into a scope.
func (k *Checker) insertResult(s *types.Scope, name string) {
	o, x, alive := k.Scope.Results.Lookup(name)
	if o == nil {
		if strings.Contains(name, "[") { // it was there a moment ago; go/types says nothing of what cannot be a name
			k.Problems = append(k.Problems,
				Problem{Pos: k.Scope.Fset.Position(token.NoPos), name: "TypeError", Message: "undefined: " + name,
					Hint: k.Scope.Results.missing(name)})
		}
		return
	}
	s.Insert(o)
	if x != nil && !k.dry {
		k.Result.Results[name] = mentionedResult{x, o, alive}
	}
}

// CellLabel is how a cell with a number is called in errors.
func CellLabel(n int) string { return "cell[" + strconv.Itoa(n) + "]" }
