package lower

import (
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/check"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// State is what lowering has made of a session so far: what its objects are called in lowered code, and what that code
// has been given.
type State struct {
	scope *check.Scope
	rt    *run.Runtime

	// Objects of the session.
	names    map[types.Object]string
	Slots    map[types.Object]*check.Slot
	generics map[*types.Func]*check.Function
	versions map[string]int            // how often a name was declared
	older    map[*types.Func][]string  // the current function to the names of every version of the same type
	Lasts    map[string]*types.Var     // what _ has stood for, by type
	Sources  map[string]*sourcePackage // packages that are lowered from source
	code     methodSlots
	printed  map[string]bool      // types whose methods yaegi has
	declared map[string]*instance // functions that are declared only, by name
	native   *machinecode.Program // nil without machine code
	natives  map[string]Native    // by name
	loops    []Native             // of the last cell with loops
	elements elementState

	cells      int           // that are checked or run
	unreleased []*check.Slot // which names no longer stand for, and cells that run may use

	// Types.
	keys       objectKeys
	boxes      map[string]*box         // by type
	boxed      map[string]reflect.Type // the types that the assertions in made ask for
	unexported map[string]reflect.Type // types of compiled packages
	instances  *types.Context

	// Names in lowered code.
	Imported map[string]string // import path to alias
	helpers  map[string]string // helpers and instances, by key
	typeSyms map[reflect.Type]string
	retypes  map[[2]reflect.Type]string
	converts map[[2]reflect.Type]string
	serial   int // of names that lowering makes up
}

// New makes the state of a new session.
func New(scope *check.Scope, rt *run.Runtime) *State {
	e := &State{
		scope: scope, rt: rt,
		names: map[types.Object]string{}, Slots: map[types.Object]*check.Slot{},
		generics: map[*types.Func]*check.Function{},
		versions: map[string]int{}, older: map[*types.Func][]string{}, Lasts: map[string]*types.Var{},
		Sources: map[string]*sourcePackage{},
		code:    methodSlots{keys: map[string]*methodFunc{}}, printed: map[string]bool{},
		natives:  map[string]Native{},
		declared: map[string]*instance{}, keys: objectKeys{numbers: map[types.Object]int{}}, boxes: map[string]*box{}, boxed: map[string]reflect.Type{},
		unexported: map[string]reflect.Type{},
		instances:  types.NewContext(),
		Imported:   map[string]string{}, helpers: map[string]string{}, typeSyms: map[reflect.Type]string{},
		retypes: map[[2]reflect.Type]string{}, converts: map[[2]reflect.Type]string{},
	}
	e.elements = elementState{slots: e.Slots, helpers: map[*types.Func]*elementHelper{}}
	if machinecode.Disabled() == "" {
		e.native = machinecode.New(scope.Inner)
	}
	e.newWorld()
	return e
}
