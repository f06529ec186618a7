package lower

import (
	"go/types"
	"runtime"
	"sync"
	"weak"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Slots are the variables of a session by their objects. An entry goes some time after its object: where no syntax tree
// and no name has that, nothing can ask for it. Scope.Mu guards them.
type Slots struct {
	by   map[weak.Pointer[types.Var]]*check.Slot
	next int // how many there are when they are looked through
	gone *goneSymbols
}

// goneSymbols are what yaegi knows variables by that nothing has any more. It is apart from the session: what follows
// variables must not keep that.
type goneSymbols struct {
	mu   sync.Mutex
	list []string
}

func (g *goneSymbols) add(symbol string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = append(g.list, symbol)
}

func (g *goneSymbols) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.list
	g.list = nil
	return list
}

// Of is the variable of an object, nil for one without.
func (s *Slots) Of(o types.Object) *check.Slot {
	v, ok := o.(*types.Var)
	if !ok || v == nil {
		return nil
	}
	return s.by[weak.Make(v)]
}

// Set gives an object its variable.
func (s *Slots) Set(o types.Object, slot *check.Slot) {
	if s.by == nil {
		s.by = map[weak.Pointer[types.Var]]*check.Slot{}
	}
	if len(s.by) >= max(s.next, 64) {
		for p := range s.by {
			if p.Value() == nil {
				delete(s.by, p)
			}
		}
		s.next = 2 * len(s.by)
	}
	s.by[weak.Make(o.(*types.Var))] = slot
}

// objects are those that a variable belongs to: one for each check of the statement that defines it, and of another
// type where it has followed its type.
func (s *Slots) objects(slot *check.Slot) (list []types.Object) {
	for p, x := range s.by {
		if o := p.Value(); x == slot && o != nil {
			list = append(list, o)
		}
	}
	return list
}

// Delete takes their variables from objects.
func (s *Slots) Delete(objects ...types.Object) {
	for _, o := range objects {
		delete(s.by, weak.Make(o.(*types.Var)))
	}
}

// follow has a symbol go with its slot: code that has been lowered has the variable itself.
func (s *Slots) follow(slot *check.Slot) {
	runtime.AddCleanup(slot, s.gone.add, slot.Symbol)
}
