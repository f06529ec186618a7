package ir

// Places says where in memory a loop over elements finds what it needs: offsets from what its one parameter points to.
type Places struct {
	N, Out   int64
	In, Step []int64 // of the first parameters: addresses of elements, and steps from one to the next in elements
	Captured []int64 // of the other parameters, which are the same for all elements
}

// OverElements makes a loop of a function of numbers with one result: it calls the function for N elements and stores
// the results one after another. The function is as it was translated, before Order.
func (f *Func) OverElements(at Places) {
	entry := f.Blocks[0]
	result := f.Results[0]
	before, head, latch, exit := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	f.Blocks = append([]*Block{before}, remove(f.Blocks, before)...)
	block := before.Add(f, Param, Ptr)
	load := func(k Kind, offset int64) *Value {
		v := before.Add(f, Load, k, block)
		v.Imm = offset
		return v
	}
	n, out := load(Int64, at.N), load(Ptr, at.Out)
	index := head.Add(f, Phi, Int64)
	var steps, indices, bases []*Value
	for i := range at.In {
		bases, steps = append(bases, load(Ptr, at.In[i])), append(steps, load(Int64, at.Step[i]))
		indices = append(indices, head.Add(f, Phi, Int64))
	}
	params := 0
	for params < len(entry.Values) && entry.Values[params].Op == Param {
		v := entry.Values[params]
		v.Op, v.Imm = Load, 0
		if params < len(bases) {
			v.Args, v.Scale = []*Value{bases[params], indices[params]}, uint8(v.Kind.Size())
		} else { // the same value for all elements: computed before the loop
			v.Args, v.Imm, v.Block = []*Value{block}, at.Captured[params-len(bases)], before
			before.Values = append(before.Values, v)
		}
		params++
	}
	entry.Values = append(entry.Values[:min(params, len(bases)):min(params, len(bases))], entry.Values[params:]...)
	jump := func(from, to *Block) {
		from.Kind, from.Succs, to.Preds = Jump, []*Block{to}, append(to.Preds, from)
	}
	for _, b := range f.Blocks {
		if b.Kind != Return || b == before || b == head || b == latch || b == exit {
			continue
		}
		s := b.Add(f, Store, result, out, index, b.Results[0])
		s.Scale = uint8(result.Size())
		b.Results = nil
		jump(b, latch)
	}
	jump(before, head)
	jump(latch, head)
	head.Kind, head.Control = If, head.Add(f, Lt, Bool, index, n)
	head.Succs = []*Block{entry, exit}
	entry.Preds, exit.Preds, exit.Kind = []*Block{head}, []*Block{head}, Return
	index.Args = []*Value{f.Int(Int64, 0), latch.Add(f, Add, Int64, index, f.Int(Int64, 1))}
	for i, x := range indices {
		x.Args = []*Value{f.Int(Int64, 0), latch.Add(f, Add, Int64, x, steps[i])}
	}
	f.Params, f.Results = []Kind{Ptr}, nil
}

func remove(list []*Block, b *Block) (rest []*Block) {
	for _, x := range list {
		if x != b {
			rest = append(rest, x)
		}
	}
	return rest
}
