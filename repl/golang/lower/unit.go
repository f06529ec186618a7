package lower

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/support"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// unit is what is lowered and loaded at once: a cell, what initialises a package, or a function that is lowered when it
// is called. It has what the session gets with it.
type unit struct {
	st    *State
	ck    *check.Checked // the cell; of other units it has a name only
	funcs *support.Functions
	out   *output

	names   map[types.Object]string      // new ones; those of older units are in State.names
	slots   map[types.Object]*check.Slot // new ones; those of older units are in State.Slots
	aliases map[string]string            // import path to what lowered code calls the package
	imports map[string]string            // import path to package name
	helpers map[string]string            // helpers and instances by key; those of older units are in State.helpers
	reached map[string]bool              // types whose methods are printed
	start   []string                     // statements to run before the cell's
	queue   []func()                     // instances still to print
	late    []*instance                  // declared only

	instances []*instance    // printed
	asked     int            // instances that are printed, or will be
	failure   *check.Failure // why nothing of it can be loaded

	plan *plan // nil without machine code

	elements []*elements // the arguments of tensor.Map

	// Of the functions in it. All instances of a generic one share the objects.
	literals map[string]int          // how many literals a function has, by its name
	locals   map[types.Object]string // names of variables
	labels   map[types.Object]*label
	hoist    map[types.Object]bool // variables of a cell's statements, which live in slots
	escapes  map[types.Object]bool // variables that outlive their block: see findEscaping
	typed    map[types.Object]bool // variables that are declared with a type
}

func (st *State) newUnit(ck *check.Checked) *unit {
	return &unit{
		st: st, ck: ck, funcs: st.funcs, out: &output{Trees: run.NewTrees()},
		names: map[types.Object]string{}, slots: map[types.Object]*check.Slot{},
		aliases: map[string]string{}, imports: map[string]string{}, helpers: map[string]string{},
		reached: map[string]bool{}, literals: map[string]int{}, locals: map[types.Object]string{},
		labels: map[types.Object]*label{}, hoist: map[types.Object]bool{}, escapes: map[types.Object]bool{},
		typed: map[types.Object]bool{},
	}
}

// finish ends the printing.
func (u *unit) finish(r *Code) {
	if len(u.start) > 0 {
		r.first = u.fresh("start")
		u.out.printf("func %s() {\n%s\n}", r.first, strings.Join(u.start, "\n"))
	}
	r.code = u.out.inOrder()
}

func (u *unit) printQueued() {
	for len(u.queue) > 0 && u.failure == nil {
		q := u.queue[0]
		u.queue = u.queue[1:]
		q()
	}
}

// function prints a function or a method, and has older versions of it call this one.
func (u *unit) function(f *check.Function) {
	name := u.name(f.Object)
	u.printFunc(f, name, true, nil)
	if f.Receiver != "" {
		u.register(name, u.st.methodSlot(f.Object))
	}
	for _, v := range u.st.olderVersions(f) {
		u.start = append(u.start, fmt.Sprintf("%s.Redirect(%q, %s)", run.RuntimePkg, v, name))
	}
}

// olderVersions are the names of functions that f takes the place of.
func (st *State) olderVersions(f *check.Function) []string {
	if f.Receiver != "" {
		return st.older[f.Object]
	}
	if b := st.scope.Bindings[f.Names[0]]; b != nil {
		if old, ok := b.Object.(*types.Func); ok && check.SameUse(old, f.Object) {
			return st.older[old]
		}
	}
	return nil
}

// printFunc prints a function under a name.
func (u *unit) printFunc(f *check.Function, name string, redefinable bool, v *typing.Env) {
	d := u.body(f.Info, v).function(f, name)
	if redefinable {
		u.st.rt.AddRedirect(name)
	}
	u.out.print(d)
}
