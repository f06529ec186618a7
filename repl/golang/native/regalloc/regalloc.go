// Package regalloc gives the values of a function registers, by a linear scan over their lifetimes. A value has one
// place for all its life: a register, or a word of the frame. The last few registers of each class are kept: a function
// that changes one restores it before it returns, so that a value in it survives calls, of which the collector need not
// know. Values are there that a loop uses across a call and that are no pointers. Nothing else in a register survives a
// call, and nothing at all one that has so many arguments or results that some are in kept registers. A cold call saves
// all registers in the frame and loads them again, so that the values need no other places for its sake.
package regalloc

import (
	"cmp"
	"math"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// Place is where a value is.
type Place int

// Nowhere is the place of constants and of values that are computed where they are used. Registers are numbered from 1
// on, those of floats for themselves, words of the frame by negative numbers from -1 on.
const Nowhere Place = 0

// Reg is the place that is the i-th register.
func Reg(i int) Place { return Place(i + 1) }

// IsReg reports whether a place is a register, and which.
func (p Place) IsReg() (int, bool) { return int(p) - 1, p > 0 }

// Slot is the place that is the i-th word of the frame.
func Slot(i int) Place { return Place(-i - 1) }

// IsSlot reports whether a place is in the frame, and which word.
func (p Place) IsSlot() (int, bool) { return -int(p) - 1, p < 0 }

// Machine tells how many registers there are, and how many of them are kept.
type Machine struct{ Ints, Floats, KeptInts, KeptFloats int }

// registers are how many of a class there are, and the first one that is kept.
func (m Machine) registers(class int) (n, kept int) {
	if class == 0 {
		return m.Ints, m.Ints - m.KeptInts
	}
	return m.Floats, m.Floats - m.KeptFloats
}

// IsWide reports whether a call has arguments or results in kept registers.
func (m Machine) IsWide(call *ir.Value) bool {
	n := [2]int{}
	for _, x := range call.Args {
		n[class(x.Kind)]++
	}
	for c := range n {
		if _, kept := m.registers(c); max(n[c], int(call.Results[c])) > kept {
			return true
		}
	}
	return false
}

// Result is where the values of a function are.
type Result struct {
	Places []Place  // by ID
	Slots  int      // words of the frame
	Kept   [2][]int // the kept registers of integers and floats that the function changes
	// Saved are the values whose registers a cold call saves, in the last MostSaved words of the frame.
	Saved     map[*ir.Value][]*ir.Value
	MostSaved int
	// Pointers are the values that the garbage collector must see while Go code runs at a call or another place that
	// is left and returned to.
	Pointers map[*ir.Value][]*ir.Value
}

// lifetime is when a value is in its place.
type lifetime struct {
	v        *ir.Value
	from, to int
	weight   float64
	place    Place
}

type allocator struct {
	f     *ir.Func
	m     Machine
	r     *Result
	live  []*lifetime // by ID
	out   [][]uint64  // what is live at the end of each block, in their order
	start []int       // the position of each block
	end   []int
	at    map[*ir.Block]int
	hints [][]Place
	// crosses are what is live across calls, wide across those that no register survives, by ID.
	crosses, wide []uint64
	anyWide       bool
	phis          [][]*ir.Value // for each value the phis that it is an operand of
	cold          []coldCall
}

// coldCall is one, and what is live across it.
type coldCall struct {
	v    *ir.Value
	live []uint64
}

// Placed reports whether a value has a place.
func Placed(v *ir.Value) bool {
	return v.Op != ir.Const && v.Op != ir.Frame && v.Kind != ir.None && !v.Fused
}

// Allocate gives values their places. The blocks are in their order and no edge is critical.
func Allocate(f *ir.Func, m Machine) *Result {
	n := f.NumValues()
	a := &allocator{f: f, m: m, r: &Result{Places: make([]Place, n), Pointers: map[*ir.Value][]*ir.Value{}},
		live: make([]*lifetime, n), at: map[*ir.Block]int{}, hints: make([][]Place, n), phis: make([][]*ir.Value, n)}
	a.liveness()
	a.lifetimes()
	a.findHints()
	a.scan()
	a.save()
	return a.r
}

func set(s []uint64, i int)      { s[i/64] |= 1 << (i % 64) }
func drop(s []uint64, i int)     { s[i/64] &^= 1 << (i % 64) }
func has(s []uint64, i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// eachUse calls use with the operands of a value, through what is fused into it.
func eachUse(list []*ir.Value, use func(*ir.Value)) {
	for _, x := range list {
		if x.Fused {
			eachUse(x.Args, use)
		} else if Placed(x) {
			use(x)
		}
	}
}

func controls(b *ir.Block) []*ir.Value {
	if b.Control == nil {
		return b.Results
	}
	return []*ir.Value{b.Control}
}

// liveness computes what is live at the end of each block.
func (a *allocator) liveness() {
	words := (a.f.NumValues() + 63) / 64
	a.crosses, a.wide = make([]uint64, words), make([]uint64, words)
	in := make([][]uint64, len(a.f.Blocks))
	for i, b := range a.f.Blocks {
		a.at[b] = i
		in[i] = make([]uint64, words)
		a.out = append(a.out, make([]uint64, words))
	}
	for changed := true; changed; {
		changed = false
		for i := len(a.f.Blocks) - 1; i >= 0; i-- {
			b, s := a.f.Blocks[i], a.out[i]
			for _, next := range b.Succs {
				for w, bits := range in[a.at[next]] {
					s[w] |= bits
				}
				k := slices.Index(next.Preds, b)
				for _, v := range next.Values {
					if v.Op == ir.Phi {
						eachUse(v.Args[k:k+1], func(x *ir.Value) { set(s, x.ID) })
					}
				}
			}
			now := slices.Clone(s)
			a.walk(b, now, func(*ir.Value) {})
			if !slices.Equal(now, in[i]) {
				in[i], changed = now, true
			}
		}
	}
}

// walk takes what is live from the end of a block to its start. It calls at with each value once what is live after it,
// without itself, is known.
func (a *allocator) walk(b *ir.Block, live []uint64, at func(*ir.Value)) {
	eachUse(controls(b), func(x *ir.Value) { set(live, x.ID) })
	for _, v := range slices.Backward(b.Values) {
		drop(live, v.ID)
		at(v)
		if v.Op != ir.Phi && !v.Fused {
			eachUse(v.Args, func(x *ir.Value) { set(live, x.ID) })
		}
	}
}

// lifetimes numbers the values and finds how long each is needed.
func (a *allocator) lifetimes() {
	pos := 2
	for _, b := range a.f.Blocks {
		a.start = append(a.start, pos)
		pos += 2 * (len(b.Values) + 1)
		a.end = append(a.end, pos)
		pos += 2
	}
	for i, b := range a.f.Blocks {
		weight := math.Pow(10, float64(min(b.Depth, 6)))
		for id := range a.f.NumValues() {
			if has(a.out[i], id) {
				a.extend(id, a.start[i], a.end[i])
			}
		}
		at := a.end[i]
		use := func(x *ir.Value) {
			a.extend(x.ID, a.start[i], at)
			a.live[x.ID].weight += weight
		}
		eachUse(controls(b), use)
		for _, s := range b.Succs {
			k := slices.Index(s.Preds, b)
			for _, v := range s.Values {
				if v.Op == ir.Phi {
					eachUse(v.Args[k:k+1], use)
				}
			}
		}
		for j, v := range slices.Backward(b.Values) {
			at = a.start[i] + 2*(j+1)
			if Placed(v) {
				a.define(v, at, i)
				a.live[v.ID].weight += weight
			}
			if v.Op != ir.Phi && !v.Fused {
				eachUse(v.Args, use)
			}
		}
		live := slices.Clone(a.out[i])
		a.walk(b, live, func(v *ir.Value) {
			a.pointersAt(v, live)
			a.call(v, live)
		})
	}
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if l := a.live[v.ID]; l != nil {
				l.v = v
				l.from = min(l.from, l.to)
			}
		}
	}
}

// call notes what is live across a call. A register whose value is needed on other ways alone may be changed by it.
func (a *allocator) call(v *ir.Value, live []uint64) {
	if v.Op != ir.Call {
		return
	}
	wide := a.m.IsWide(v)
	a.anyWide = a.anyWide || wide
	if v.Cold {
		a.cold = append(a.cold, coldCall{v, slices.Clone(live)})
		return
	}
	for i, bits := range live {
		a.crosses[i] |= bits
		if wide {
			a.wide[i] |= bits
		}
	}
}

// extend makes a lifetime cover a stretch. Where the value is defined is not known yet, so it covers the block from its
// start on; define shortens that in the block of the value.
func (a *allocator) extend(id, from, to int) {
	l := a.live[id]
	if l == nil {
		l = &lifetime{from: from, to: to}
		a.live[id] = l
		return
	}
	l.from, l.to = min(l.from, from), max(l.to, to)
}

// define begins a lifetime. Every block that the value is live in comes later than its own.
func (a *allocator) define(v *ir.Value, at, block int) {
	from := at + 1
	if v.Op == ir.Phi || v.Op == ir.Param {
		from = a.start[block]
	}
	if v.Op == ir.Result { // results are in their places when what they are of is done, also those that come later
		i := slices.Index(v.Block.Values, v.Args[0])
		from = a.start[block] + 2*(i+1) + 1
	}
	a.extend(v.ID, from, from)
	a.live[v.ID].from = from
}

// pointersAt notes the pointers that are live while a value is computed that Go code computes.
func (a *allocator) pointersAt(v *ir.Value, live []uint64) {
	if v.Op != ir.Poll && v.Op != ir.Call && v.Op != ir.Leave {
		return
	}
	var list []*ir.Value
	for _, b := range a.f.Blocks {
		for _, p := range b.Values {
			if p.Kind == ir.Ptr && Placed(p) && has(live, p.ID) && !(p.Op == ir.Result && p.Args[0] == v) {
				list = append(list, p)
			}
		}
	}
	a.r.Pointers[v] = list
}

// findHints tells which places are good for a value, since it is moved to or from there.
func (a *allocator) findHints() {
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.Param:
				a.hints[v.ID] = append(a.hints[v.ID], Reg(int(v.Imm)))
			case ir.Result:
				if v.Args[0].Op == ir.Call {
					a.hints[v.ID] = append(a.hints[v.ID], Reg(v.Size))
				}
			case ir.Phi:
				for _, x := range v.Args {
					if Placed(x) {
						a.phis[x.ID] = append(a.phis[x.ID], v)
					}
				}
			case ir.Call:
				n := [2]int{}
				for _, x := range v.Args {
					c := class(x.Kind)
					if Placed(x) {
						a.hints[x.ID] = append(a.hints[x.ID], Reg(n[c]))
					}
					n[c]++
				}
			}
		}
	}
}

func class(k ir.Kind) int {
	if k.IsFloat() {
		return 1
	}
	return 0
}

// scan gives places in the order in which lifetimes begin.
func (a *allocator) scan() {
	var list []*lifetime
	for _, l := range a.live {
		if l != nil && l.v != nil {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(x, y *lifetime) int { return cmp.Or(x.from-y.from, x.v.ID-y.v.ID) })
	var active [2][]*lifetime
	var spilled []*lifetime
	for _, l := range list {
		c := class(l.v.Kind)
		n, kept := a.m.registers(c)
		from := 0
		if has(a.crosses, l.v.ID) {
			if from = kept; has(a.wide, l.v.ID) || l.v.Kind == ir.Ptr || l.weight < worthKeeping {
				from = n
			}
		}
		active[c] = slices.DeleteFunc(active[c], func(o *lifetime) bool { return o.to < l.from })
		if out := a.assign(l, active[c], from, kept, n); out != nil {
			spilled = append(spilled, out)
			active[c] = slices.DeleteFunc(active[c], func(o *lifetime) bool { return o == out })
		}
		if l.place != Nowhere {
			active[c] = append(active[c], l)
		}
	}
	a.keep(list)
	a.slots(spilled)
}

// worthKeeping is the weight of a value that is worth keeping a register for: one that a loop uses.
const worthKeeping = 10

// keep notes the kept registers that the function changes.
func (a *allocator) keep(list []*lifetime) {
	for c := range a.r.Kept {
		n, kept := a.m.registers(c)
		used := make([]bool, n)
		for _, l := range list {
			if r, ok := l.place.IsReg(); ok && class(l.v.Kind) == c {
				used[r] = true
			}
		}
		for r := kept; r < n; r++ {
			if used[r] || a.anyWide {
				a.r.Kept[c] = append(a.r.Kept[c], r)
			}
		}
	}
}

// assign gives a lifetime a register of those from one on; kept ones are the last choice. It returns the lifetime that
// has none then, nil where all have.
func (a *allocator) assign(l *lifetime, active []*lifetime, from, kept, n int) *lifetime {
	var taken uint64
	least := l
	for _, o := range active {
		r, _ := o.place.IsReg()
		taken |= 1 << r
		if r >= from && o.weight < least.weight {
			least = o
		}
	}
	free := func(p Place) bool {
		r, ok := p.IsReg()
		return ok && r >= from && r < n && taken>>r&1 == 0
	}
	for _, p := range a.wishes(l.v) {
		if free(p) {
			return l.take(a, p)
		}
	}
	for r := kept - 1; r >= from; r-- {
		if free(Reg(r)) {
			return l.take(a, Reg(r))
		}
	}
	for r := n - 1; r >= kept; r-- {
		if free(Reg(r)) {
			return l.take(a, Reg(r))
		}
	}
	if least != l {
		l.take(a, least.place)
		least.take(a, Nowhere)
	}
	return least
}

// take gives a lifetime a place. It returns nil.
func (l *lifetime) take(a *allocator, p Place) *lifetime {
	l.place, a.r.Places[l.v.ID] = p, p
	return nil
}

// wishes are the places that save a move, the best first.
func (a *allocator) wishes(v *ir.Value) (list []Place) {
	for _, phi := range a.phis[v.ID] {
		list = append(list, a.r.Places[phi.ID])
	}
	if v.Op == ir.Phi {
		for _, x := range v.Args {
			list = append(list, a.r.Places[x.ID])
			list = append(list, a.hints[x.ID]...)
		}
	}
	list = append(list, a.hints[v.ID]...)
	if len(v.Args) > 0 && v.Op != ir.Result && class(v.Args[0].Kind) == class(v.Kind) {
		list = append(list, a.r.Places[v.Args[0].ID])
	}
	return list
}

// slots gives the others words of the frame, which those share that do not live at the same time.
func (a *allocator) slots(list []*lifetime) {
	slices.SortFunc(list, func(x, y *lifetime) int { return cmp.Or(x.from-y.from, x.v.ID-y.v.ID) })
	var until []int // by slot
	for _, l := range list {
		i := slices.IndexFunc(until, func(to int) bool { return to < l.from })
		if i < 0 {
			i = len(until)
			until = append(until, 0)
		}
		until[i] = l.to
		a.r.Places[l.v.ID] = Slot(i)
	}
	a.r.Slots = len(until)
}

// save has cold calls save the registers whose values are needed after them.
func (a *allocator) save() {
	a.r.Saved = map[*ir.Value][]*ir.Value{}
	for _, c := range a.cold {
		var list []*ir.Value
		for id, l := range a.live {
			if l != nil && l.v != nil && has(c.live, id) {
				if _, ok := l.place.IsReg(); ok {
					list = append(list, l.v)
				}
			}
		}
		a.r.Saved[c.v] = list
		a.r.MostSaved = max(a.r.MostSaved, len(list))
	}
	a.r.Slots += a.r.MostSaved
}
