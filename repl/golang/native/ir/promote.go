package ir

// Promote makes values of the variables in the frame whose words are only read and written as a whole, at places that
// are known: a variable that a function literal captures becomes as cheap as any other. It reports false where a
// variable that may hold pointers (its Frame value has a Size) stays in the frame, where the collector does not see
// them. With all unset only these variables are looked at.
func (f *Func) Promote(all bool) bool {
	f.Order()
	vars := f.frameVars()
	for base, v := range vars {
		if !v.whole() || !all && base.Size == 0 {
			if base.Size != 0 {
				return false
			}
			delete(vars, base)
		}
	}
	if len(vars) > 0 {
		(&promoter{f: f, vars: vars, in: map[*Block]map[word]*Value{}, out: map[*Block]map[word]*Value{},
			to: map[*Value]*Value{}}).run()
	}
	return true
}

// frameVar is what is known of a variable in the frame.
type frameVar struct {
	words map[int64]Kind // by where they are
	other bool           // it is used in some other way
}

// frameVars finds the variables in the frame and how they are used.
func (f *Func) frameVars() map[*Value]*frameVar {
	vars := map[*Value]*frameVar{}
	at := func(base *Value) *frameVar {
		if vars[base] == nil {
			vars[base] = &frameVar{words: map[int64]Kind{}}
		}
		return vars[base]
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if a.Op == Frame && (i > 0 || v.Op != Load && v.Op != Store && v.Op != Zero) {
					at(a).other = true
				}
			}
			if len(v.Args) > 0 && v.Args[0].Op == Frame {
				at(v.Args[0]).note(v)
			}
		}
	}
	return vars
}

// note adds a use as an address.
func (x *frameVar) note(v *Value) {
	if v.Op == Zero {
		return
	}
	k := v.Kind
	if v.Op == Store {
		k = v.Args[len(v.Args)-1].Kind
	}
	if v.Scale != 0 || x.words[v.Imm] != None && x.words[v.Imm] != k {
		x.other = true
	}
	x.words[v.Imm] = k
}

// whole reports whether no words of the variable overlap.
func (x *frameVar) whole() bool {
	for at, k := range x.words {
		for i := int64(1); i < int64(k.Size()); i++ {
			if x.words[at+i] != None {
				return false
			}
		}
	}
	return !x.other
}

// word is one of a variable.
type word struct {
	base *Value
	at   int64
}

// promoter replaces loads and stores by values, as Braun and others do ("Simple and Efficient Construction of Static
// Single Assignment Form", 2013), here with all blocks known beforehand.
type promoter struct {
	f       *Func
	vars    map[*Value]*frameVar
	in, out map[*Block]map[word]*Value // what words are where blocks begin and end
	to      map[*Value]*Value          // what a load is
	phis    []*Value
}

func (p *promoter) run() {
	for _, b := range p.f.Blocks { // what blocks write, before anything asks for it
		p.in[b], p.out[b] = map[word]*Value{}, map[word]*Value{}
		for _, v := range b.Values {
			if x := p.of(v); x != nil {
				p.write(p.out[b], x, v)
			}
		}
	}
	for _, b := range p.f.Blocks {
		p.block(b)
	}
	for _, phi := range p.phis {
		phi.Block.Values = append([]*Value{phi}, phi.Block.Values...)
	}
	final := func(list []*Value) {
		for i, v := range list {
			list[i] = p.final(v)
		}
	}
	for _, b := range p.f.Blocks {
		for _, v := range b.Values {
			final(v.Args)
		}
		final(b.Results)
		if b.Control != nil {
			b.Control = p.final(b.Control)
		}
	}
}

// of is the variable that a value reads, writes or clears, nil for none.
func (p *promoter) of(v *Value) *frameVar {
	if len(v.Args) == 0 {
		return nil
	}
	return p.vars[v.Args[0]]
}

// write notes what words are behind a value.
func (p *promoter) write(now map[word]*Value, x *frameVar, v *Value) {
	base := v.Args[0]
	switch v.Op {
	case Store:
		now[word{base, v.Imm}] = v.Args[1]
	case Zero:
		for at, k := range x.words {
			now[word{base, at}] = p.f.Int(k, 0)
		}
	}
}

// block replaces the loads of a block, and drops what it writes.
func (p *promoter) block(b *Block) {
	now := map[word]*Value{}
	kept := b.Values[:0]
	for _, v := range b.Values {
		x := p.of(v)
		switch {
		case x == nil:
			kept = append(kept, v)
		case v.Op == Load:
			w := word{v.Args[0], v.Imm}
			if now[w] == nil {
				now[w] = p.begin(b, w, v.Kind)
			}
			p.to[v] = now[w]
		default:
			p.write(now, x, v)
		}
	}
	b.Values = kept
}

// begin is what a word is where a block begins. Before anything was written it is 0.
func (p *promoter) begin(b *Block, w word, k Kind) *Value {
	if v := p.in[b][w]; v != nil {
		return v
	}
	if len(b.Preds) == 0 {
		p.in[b][w] = p.f.Int(k, 0)
		return p.in[b][w]
	}
	if len(b.Preds) == 1 && b.Preds[0].order < b.order {
		p.in[b][w] = p.end(b.Preds[0], w, k)
		return p.in[b][w]
	}
	phi := p.f.New(b, Phi, k)
	p.in[b][w] = phi // before its operands, which may be itself
	p.phis = append(p.phis, phi)
	for _, pred := range b.Preds {
		phi.Args = append(phi.Args, p.end(pred, w, k))
	}
	return phi
}

// end is what a word is where a block ends.
func (p *promoter) end(b *Block, w word, k Kind) *Value {
	if v := p.out[b][w]; v != nil {
		return v
	}
	return p.begin(b, w, k)
}

// final is what a value has become.
func (p *promoter) final(v *Value) *Value {
	for p.to[v] != nil {
		v = p.to[v]
	}
	return v
}
