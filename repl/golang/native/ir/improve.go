package ir

import "slices"

// Improve simplifies a function: constants are computed, equal values are computed once, checks that cannot fail and
// values that nothing uses are removed.
func (f *Func) Improve() {
	f.Order()
	f.samePhis()
	p := &improver{f: f, same: map[key][]*Value{}, to: make([]*Value, f.nextID)}
	for _, b := range f.Blocks {
		p.block(b)
	}
	for _, b := range f.Blocks { // phis have operands of blocks that come later
		for _, v := range b.Values {
			p.replaceArgs(v.Args)
		}
		p.replaceArgs(b.Results)
		if b.Control != nil {
			b.Control = p.final(b.Control)
		}
	}
	f.branches()
	f.sweep()
}

// improver rewrites the blocks of a function in their order.
type improver struct {
	f    *Func
	same map[key][]*Value // by what they compute
	to   []*Value         // what a value is replaced with, by ID
}

// key is what values have in common that compute the same.
type key struct {
	op, kind, test uint8
	imm            int64
	x, y           int
	cx, cy         int64 // of constants
}

func keyOf(v *Value) (k key, ok bool) {
	if !v.Pure() && v.Op != Check || len(v.Args) > 2 {
		return k, false
	}
	k = key{op: uint8(v.Op), kind: uint8(v.Kind), test: uint8(v.Test), imm: v.Imm}
	part := func(a *Value) (int, int64) {
		if a.Op == Const {
			return -1 - int(a.Kind), a.Imm
		}
		return a.ID, 0
	}
	if len(v.Args) > 0 {
		k.x, k.cx = part(v.Args[0])
	}
	if len(v.Args) > 1 {
		k.y, k.cy = part(v.Args[1])
	}
	return k, true
}

func (p *improver) final(v *Value) *Value {
	for v.ID < len(p.to) && p.to[v.ID] != nil {
		v = p.to[v.ID]
	}
	return v
}

func (p *improver) replaceArgs(list []*Value) {
	for i, a := range list {
		list[i] = p.final(a)
	}
}

func (p *improver) block(b *Block) {
	kept := b.Values[:0]
	for _, v := range b.Values {
		if v.Op != Phi {
			p.replaceArgs(v.Args)
		}
		if with := p.replacement(v); with != nil {
			if with != v {
				p.to[v.ID] = with
			}
			continue
		}
		kept = append(kept, v)
	}
	b.Values = kept
	if b.Control != nil {
		b.Control = p.final(b.Control)
	}
}

// replacement is what to use in place of a value, nil to keep it, and the value itself to remove it.
func (p *improver) replacement(v *Value) *Value {
	if v.Op == Phi {
		return p.phi(v)
	}
	if with := p.f.fold(v); with != nil {
		return with
	}
	if v.Op == Check && p.holds(v) {
		return v
	}
	k, ok := keyOf(v)
	if !ok {
		return nil
	}
	for _, other := range p.same[k] {
		if other.Block.Dominates(v.Block) {
			if v.Op == Check {
				return v
			}
			return other
		}
	}
	p.same[k] = append(p.same[k], v)
	return nil
}

// phi finds phis that stand for one value.
func (p *improver) phi(v *Value) *Value {
	var one *Value
	for _, a := range v.Args {
		if a = p.final(a); a == v || a == one {
			continue
		}
		if one != nil && (one.Op != Const || a.Op != Const || a.Imm != one.Imm) {
			return nil
		}
		one = a
	}
	return one
}

// branches makes jumps of tests of constants.
func (f *Func) branches() {
	changed := false
	for _, b := range f.Blocks {
		if b.Kind != If || b.Control.Op != Const {
			continue
		}
		out := b.Succs[b.Control.Imm&1] // 1 is the first, so the other one is left
		keep := b.Succs[1-b.Control.Imm&1]
		if out != keep {
			i := slices.Index(out.Preds, b)
			out.Preds = slices.Delete(out.Preds, i, i+1)
			for _, v := range out.Values {
				if v.Op == Phi {
					v.Args = slices.Delete(v.Args, i, i+1)
				}
			}
			b.Kind, b.Control, b.Succs = Jump, nil, []*Block{keep}
			changed = true
		}
	}
	if changed {
		f.Order()
	}
}

// sweep removes values that nothing needs.
func (f *Func) sweep() {
	needed := make([]bool, f.nextID)
	var need func(v *Value)
	need = func(v *Value) {
		if needed[v.ID] {
			return
		}
		needed[v.ID] = true
		for _, a := range v.Args {
			need(a)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case Store, Zero, Check, Poll, Call, Leave, Keep, Next:
				need(v)
			}
		}
		for _, v := range b.Results {
			need(v)
		}
		if b.Control != nil {
			need(b.Control)
		}
	}
	for _, b := range f.Blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *Value) bool { return !needed[v.ID] })
	}
}
