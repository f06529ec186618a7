package ir

import "slices"

// SplitEdges puts a block on each edge from a block with several ways out to one with several ways in or with phis, so
// that what an edge does has a place.
func (f *Func) SplitEdges() {
	for _, b := range f.Blocks[:len(f.Blocks):len(f.Blocks)] {
		if len(b.Succs) < 2 {
			continue
		}
		for i, s := range b.Succs {
			if len(s.Preds) < 2 && !s.hasPhis() {
				continue
			}
			e := f.NewBlock()
			e.Succs, e.Preds, e.Pos = []*Block{s}, []*Block{b}, b.Pos
			b.Succs[i] = e
			for j, p := range s.Preds {
				if p == b {
					s.Preds[j] = e
					break
				}
			}
		}
	}
	f.Order()
}

// hasPhis reports whether a block has phis. One with a single way in has some where other ways were cut off.
func (b *Block) hasPhis() bool {
	return slices.ContainsFunc(b.Values, func(v *Value) bool { return v.Op == Phi })
}

// Fuse marks the comparisons that only the end of their block uses, and which nothing between changes.
func (f *Func) Fuse() {
	f.Count()
	for _, b := range f.Blocks {
		if c := b.Control; c != nil && c.Uses == 1 && c.Block == b && c.Op >= Eq && c.Op <= Ge {
			c.Fused = true
		}
	}
}
