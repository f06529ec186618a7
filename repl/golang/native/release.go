package native

import "go/token"

// note keeps the address of a stop of a function whose code is forgotten some day.
func (w *work) note(at uintptr) {
	if w.u.Once || w.family != nil {
		w.stops = append(w.stops, at)
	}
}

// Places tells where the code comes from that may still run.
func (p *Program) Places(tell func(token.Pos)) {
	for _, at := range p.places {
		tell(at)
	}
	for _, r := range p.apart {
		tell(r.pos)
	}
}

// Release forgets what is known of the functions of a plan that are called once. They must have returned, and nothing
// is compiled meanwhile. The machine code itself stays where it is.
func (pl *Plan) Release() {
	for i := len(pl.list) - 1; i >= 0; i-- { // the last one first: see shorten
		if w := pl.list[i]; w.u.Once && w.proc != nil && (w.why != nil || len(w.literals) == 0 && !w.values) {
			pl.p.release(w)
		}
	}
}

func (p *Program) release(w *work) {
	delete(p.of, w.u.Called)
	removeStops(w.stops)
	p.keep = shorten(p.keep, w.kept)
	p.dropForeigns(w.foreigns)
	if procs := shorten(p.procs, [2]int{w.proc.id, w.proc.id + 1}); len(procs) < len(p.procs) {
		p.procs = procs
		p.byID.Store(&procs)
	}
}

// dropForeigns forgets foreign calls by their numbers. Numbers at the end of the list are given again.
func (p *Program) dropForeigns(part [2]int) {
	list := p.foreignList
	if part[0] == part[1] {
		return
	}
	clear(list[part[0]:part[1]])
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	if len(list) < len(p.foreignList) {
		p.foreignList = list
		p.foreigns.Store(&list)
	}
}

// shorten clears a part of a list, and cuts it off where it is the end.
func shorten[T any](list []T, part [2]int) []T {
	clear(list[part[0]:part[1]])
	if part[1] == len(list) {
		return list[:part[0]]
	}
	return list
}
