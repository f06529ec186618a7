package lower

import (
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/support"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/golang/machine"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// State is what lowering has made of a session so far: what its objects are called in lowered code, and what that code
// has been given.
type State struct {
	Types *typing.Types
	scope *check.Scope
	rt    *run.Runtime
	funcs *support.Functions

	// Objects of the session.
	names    map[types.Object]string
	Slots    Slots
	generics map[*types.Func]*check.Function
	versions map[string]int           // how often a name was declared
	older    map[*types.Func][]string // the current function to the names of every version of the same type
	Lasts    map[string]*types.Var    // what _ has stood for, by type
	code     methodSlots
	printed  map[string]bool      // types whose methods yaegi has
	layouts  check.Layouts        // of types of third-party packages
	declared map[string]*instance // functions that are declared only, by name
	lowered  []*instance          // of third-party packages
	files    map[string]string    // of these packages: the paths of the files by their names in positions
	native   *machinecode.Program // nil without machine code
	natives  map[string]Native    // by name
	loops    []Native             // of the last cell with loops
	elements elementState

	cells      int          // that are checked or run
	unreleased []*types.Var // which names no longer stand for, and cells that run may use

	// Names in lowered code.
	Imported map[string]string // import path to alias
	helpers  map[string]string // printed helpers and instances, by key
	serial   int               // of names that lowering makes up
}

// New makes the state of a new session.
func New(scope *check.Scope, rt *run.Runtime) *State {
	ts := typing.New(scope, rt.Traces.AddPackageFile)
	e := &State{
		Types: ts, scope: scope, rt: rt, funcs: support.New(scope, rt, ts),
		names:    map[types.Object]string{},
		generics: map[*types.Func]*check.Function{},
		versions: map[string]int{}, older: map[*types.Func][]string{}, Lasts: map[string]*types.Var{},
		code: methodSlots{keys: map[string]*machine.Target{}}, printed: map[string]bool{},
		natives:  map[string]Native{},
		declared: map[string]*instance{}, files: map[string]string{},
		Imported: map[string]string{}, helpers: map[string]string{},
	}
	e.Slots.gone = &goneSymbols{}
	e.elements = elementState{slots: &e.Slots, helpers: map[string]*elementHelper{}}
	if machinecode.Disabled() == "" {
		e.native = machinecode.New(scope.Inner)
		e.native.SetHost(run.Host(rt))
		scope.HoldPositions(e.native.Places)
	}
	scope.HoldPositions(e.places)
	e.newWorld()
	return e
}

// places tells where functions come from that may still be lowered or compiled.
func (st *State) places(tell func(token.Pos)) {
	for _, f := range st.generics {
		tell(f.Node.Pos())
	}
	for _, i := range st.declared {
		tell(i.of.Syntax.Pos())
	}
	for _, i := range st.lowered {
		tell(i.of.Syntax.Pos())
	}
	for _, h := range st.elements.helpers {
		tell(h.source.Object.Pos())
	}
}
