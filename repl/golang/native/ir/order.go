package ir

import "slices"

// Order drops blocks that are not reached, puts the others in an order in which loops are together and a block comes
// after those that dominate it, and finds dominators and loops.
func (f *Func) Order() {
	var post []*Block
	seen := map[*Block]bool{}
	var walk func(b *Block)
	walk = func(b *Block) {
		seen[b] = true
		for _, s := range slices.Backward(b.Succs) { // the way out of a loop first, so that it comes after the loop
			if !seen[s] {
				walk(s)
			}
		}
		post = append(post, b)
	}
	walk(f.Blocks[0])
	for _, b := range f.Blocks {
		if seen[b] {
			b.dropPreds(seen)
		}
	}
	slices.Reverse(post)
	f.Blocks = post
	for i, b := range f.Blocks {
		b.order, b.Dom, b.Depth = i, nil, 0
	}
	f.dominators()
	f.loops()
}

// dropPreds removes predecessors that are not reached, and their operands of phis.
func (b *Block) dropPreds(reached map[*Block]bool) {
	for i := len(b.Preds) - 1; i >= 0; i-- {
		if reached[b.Preds[i]] {
			continue
		}
		b.Preds = slices.Delete(b.Preds, i, i+1)
		for _, v := range b.Values {
			if v.Op == Phi {
				v.Args = slices.Delete(v.Args, i, i+1)
			}
		}
	}
}

// dominators computes them as Cooper, Harvey and Kennedy do.
func (f *Func) dominators() {
	entry := f.Blocks[0]
	entry.Dom = entry
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks[1:] {
			var d *Block
			for _, p := range b.Preds {
				switch {
				case p.Dom == nil:
				case d == nil:
					d = p
				default:
					d = meet(p, d)
				}
			}
			if b.Dom != d {
				b.Dom, changed = d, true
			}
		}
	}
	entry.Dom = nil
	for _, b := range f.Blocks[1:] {
		b.depth = b.Dom.depth + 1
	}
}

func meet(a, b *Block) *Block {
	for a != b {
		for a.order > b.order {
			a = a.Dom
		}
		for b.order > a.order {
			b = b.Dom
		}
	}
	return a
}

// Dominates reports whether every way to c leads through b.
func (b *Block) Dominates(c *Block) bool {
	for c != nil && c.depth > b.depth {
		c = c.Dom
	}
	return b == c
}

// IsLoop reports whether a block is the head of a loop.
func (b *Block) IsLoop() bool {
	return slices.ContainsFunc(b.Preds, func(p *Block) bool { return p.order >= b.order })
}

// Backward reports whether the edge from b to s goes back in the order of blocks.
func (b *Block) Backward(s *Block) bool { return s.order <= b.order }

// loops counts the natural loops around each block.
func (f *Func) loops() {
	for _, head := range f.Blocks {
		body := map[*Block]bool{head: true}
		var add func(b *Block)
		add = func(b *Block) {
			if body[b] {
				return
			}
			body[b] = true
			for _, p := range b.Preds {
				add(p)
			}
		}
		isLoop := false
		for _, p := range head.Preds {
			if p.order >= head.order && head.Dominates(p) {
				isLoop = true
				add(p)
			}
		}
		if isLoop {
			for b := range body {
				b.Depth++
			}
		}
	}
}
