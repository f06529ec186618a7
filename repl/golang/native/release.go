package native

import (
	"go/token"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// What is known of the machine code of a version of a function is forgotten, and its memory used again, when nothing
// can run it any longer. The collector finds that out. A version is an object that these refer to: its Proc as long as
// no newer version has come, with it the closures of literals, and Go code that has entered it or was left for, which
// has the versions of all frames of its context among the pointers that it keeps (gather). Generated code that has just
// loaded the address of the code from the Proc is as one that has loaded any other pointer: see package enter.

// version is code that is compiled together: a function with the literals in it, or a literal of interpreted code with
// those in it.
type version struct {
	keep    []any // what the code refers to
	remains *remains
}

// remains are what is known of a version. They do not refer to it.
type remains struct {
	pos      token.Pos
	stops    []uintptr
	foreigns []foreignID
	code     *piece
}

// piece is memory with the code of some versions. That with code that stays has no users, and stays.
type piece struct {
	at    uintptr
	size  int
	users int
}

// goneVersions are those that nothing refers to any longer. It is apart from the program, which what follows versions
// must not keep.
type goneVersions struct {
	sync.Mutex
	list []*remains
}

func (g *goneVersions) add(r *remains) {
	g.Lock()
	defer g.Unlock()
	g.list = append(g.list, r)
}

func (g *goneVersions) take() []*remains {
	g.Lock()
	defer g.Unlock()
	list := g.list
	g.list = nil
	return list
}

// newWork begins the work on a version of a function.
func (p *Program) newWork(u Unit) *work {
	v := &version{remains: &remains{pos: u.Syntax.Pos()}}
	runtime.AddCleanup(v, p.gone.add, v.remains)
	return &work{u: u, calls: map[*Proc]token.Pos{}, version: v}
}

// sweep forgets what nothing can run any longer. Nothing is compiled meanwhile.
func (p *Program) sweep() {
	list := p.gone.take()
	if len(list) == 0 {
		return
	}
	var free []enter.Memory
	for _, r := range list {
		removeStops(r.stops)
		p.dropForeigns(r)
		delete(p.versions, r)
		if c := r.code; c != nil {
			if c.users--; c.users == 0 {
				free = append(free, enter.Memory{At: c.at, Size: c.size})
			}
		}
	}
	enter.Free(free)
}

// Places tells where the code comes from that may still run.
func (p *Program) Places(tell func(token.Pos)) {
	for r := range p.versions {
		tell(r.pos)
	}
}

// hidden is the address of a version, which a stop has without keeping it.
func (w *work) hidden() uintptr { return uintptr(unsafe.Pointer(w.version)) }

// note keeps the address of a stop of a version.
func (w *work) note(at uintptr) {
	if w.version != nil {
		w.version.remains.stops = append(w.version.remains.stops, at)
	}
}

// dropForeigns forgets the foreign calls of a version. Their numbers are given again.
func (p *Program) dropForeigns(r *remains) {
	for _, id := range r.foreigns {
		p.foreignList[id] = nil
	}
	p.freeForeigns = append(p.freeForeigns, r.foreigns...)
	r.foreigns = nil
}
