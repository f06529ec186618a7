package lower

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Code is a cell as yaegi gets it.
type Code struct {
	code  string       // declarations
	Run   string       // the function that holds the statements; "" without any
	first string       // the function that binds methods and redirects older versions of functions; "" when none
	Mark  *run.Mark    // of the cell; nil when it has no statements
	Types []types.Type // of the shown values
	Last  *types.Var   // what _ stands for afterwards
	Key   string       // of last in State.lasts
	unit  *unit
}

// Source is what yaegi gets of the cell.
func (c *Code) Source() string { return c.code }

// Escapes reports whether something may keep a variable of the cell's statements after them.
func (c *Code) Escapes(v types.Object) bool { return c.unit.escapes[v] }

// Lower prints a checked cell.
func (st *State) Lower(ck *check.Checked) *Code {
	u := st.newUnit(ck)
	r := &Code{unit: u}
	for _, f := range ck.Funcs {
		if len(f.TypeParams) == 0 {
			u.newName(f.Object, f.Names[0])
		}
	}
	for _, v := range ck.Vars {
		s := u.slotOf(v.Slot)
		if s == nil {
			s = st.NewSlot(v.Slot.Type())
			u.slots[v.Slot] = s
		}
		u.slots[v.Local] = s
		u.hoist[v.Local] = true
	}
	u.plan = st.plan(u)
	for _, f := range ck.Funcs {
		if len(f.TypeParams) == 0 { // others are printed for each instance
			u.function(f)
		}
	}
	if ck.Body != nil && len(ck.Body.List) > 0 {
		r.Run = u.fresh("cell")
		u.lowerCell(r)
	}
	u.printQueued()
	u.share(ck)
	u.finish(r)
	check.Checkpoint(st.scope) // the interpreter and the compilers do not stop
	return r
}
