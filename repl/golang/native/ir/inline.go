package ir

// A Pasted is a copy of a function's code in the place of a call.
type Pasted struct {
	Entry   *Block
	Returns []*Block // that end with Return, of the results
}

// CanPaste reports whether a function is a short one whose code can be in the place of a call: it has at most so many
// values, calls nothing, loops nowhere and has no variables in its frame. Its blocks are in their order.
func (f *Func) CanPaste(most int) bool {
	n := 0
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if b.Backward(s) {
				return false
			}
		}
		for _, v := range b.Values {
			switch v.Op {
			case Call, Poll, Frame, Zero, Keep:
				return false
			}
			for _, a := range v.Args {
				if a.Op == Frame {
					return false
				}
			}
			if n++; n > most {
				return false
			}
		}
	}
	return true
}

// Clone copies a function that CanPaste.
func (f *Func) Clone() *Func {
	g := &Func{Name: f.Name, Params: f.Params, Results: f.Results}
	class := [2]int{}
	var params []*Value
	for _, k := range f.Params {
		p := g.New(nil, Param, k)
		c := 0
		if k.IsFloat() {
			c = 1
		}
		p.Imm = int64(class[c])
		class[c]++
		params = append(params, p)
	}
	p := g.Paste(f, params, nil)
	for _, v := range params {
		v.Block = p.Entry
	}
	p.Entry.Values = append(params, p.Entry.Values...)
	return g
}

// Paste copies the code of a function that CanPaste into another, with values for its parameters. within is what stands
// for that function in the places that its code has; nil keeps them.
func (f *Func) Paste(g *Func, params []*Value, within *Inlined) Pasted {
	c := &paster{f: f, values: map[*Value]*Value{}, blocks: map[*Block]*Block{},
		ins: map[*Inlined]*Inlined{nil: within}}
	class := [2][]*Value{}
	for _, p := range params {
		i := 0
		if p.Kind.IsFloat() {
			i = 1
		}
		class[i] = append(class[i], p)
	}
	for _, b := range g.Blocks {
		c.blocks[b] = f.NewBlock()
	}
	for _, b := range g.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == Param && v.Kind.IsFloat():
				c.values[v] = class[1][v.Imm]
			case v.Op == Param:
				c.values[v] = class[0][v.Imm]
			default:
				x := *v
				x.ID, x.Block, x.Args = f.nextID, c.blocks[b], nil
				f.nextID++
				c.values[v] = &x
			}
		}
	}
	var p Pasted
	for _, b := range g.Blocks {
		c.block(g, b)
		if b.Kind == Return {
			p.Returns = append(p.Returns, c.blocks[b])
		}
	}
	p.Entry = c.blocks[g.Blocks[0]]
	return p
}

// paster copies values and blocks.
type paster struct {
	f      *Func
	values map[*Value]*Value
	blocks map[*Block]*Block
	ins    map[*Inlined]*Inlined
}

func (c *paster) block(g *Func, b *Block) {
	to := c.blocks[b]
	to.Kind, to.Pos, to.In, to.Results, to.Cold = b.Kind, b.Pos, c.in(b.In), c.list(b.Results), b.Cold
	if b.Control != nil {
		to.Control = c.value(b.Control)
	}
	for _, s := range b.Succs {
		to.Succs = append(to.Succs, c.blocks[s])
	}
	for _, p := range b.Preds {
		to.Preds = append(to.Preds, c.blocks[p])
	}
	for _, v := range b.Values {
		if v.Op == Param {
			continue
		}
		x := c.values[v]
		x.Args = c.list(v.Args)
		if v.Op == Check || v.Op == Leave {
			site := g.Sites[v.Site]
			site.In = c.in(site.In)
			x.Site = len(c.f.Sites)
			c.f.Sites = append(c.f.Sites, site)
		}
		to.Values = append(to.Values, x)
	}
}

func (c *paster) list(list []*Value) (copied []*Value) {
	for _, v := range list {
		copied = append(copied, c.value(v))
	}
	return copied
}

// value is the copy of a value; constants are in no block.
func (c *paster) value(v *Value) *Value {
	if v.Op == Const {
		return c.f.Int(v.Kind, v.Imm)
	}
	return c.values[v]
}

// in is where a place of the pasted code is.
func (c *paster) in(x *Inlined) *Inlined {
	if y, ok := c.ins[x]; ok {
		return y
	}
	y := *x
	y.In = c.in(x.In)
	c.ins[x] = &y
	return &y
}
