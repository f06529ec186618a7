package ir

import "fmt"

// Wrong says how a function is not what code can be made of, "" if it is: a phi has an operand for each way into its
// block, no block with several ways out comes before one, and what defines an operand dominates its use. The blocks are
// in their order.
func (f *Func) Wrong() string {
	at := map[*Value]int{}
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			at[v] = i
			v.Block = b
		}
	}
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			if v.Op == Phi {
				if wrong := b.wrongPhi(v, at); wrong != "" {
					return wrong
				}
				continue
			}
			for _, a := range v.Args {
				if !reaches(a, b, i, at) {
					return fmt.Sprintf("value %d uses %d, which is not computed before", v.ID, a.ID)
				}
			}
		}
		for _, a := range append(b.Results[:len(b.Results):len(b.Results)], b.Control) {
			if a != nil && !reaches(a, b, len(b.Values), at) {
				return fmt.Sprintf("block %d ends with value %d, which is not computed before", b.ID, a.ID)
			}
		}
	}
	return ""
}

func (b *Block) wrongPhi(v *Value, at map[*Value]int) string {
	if len(v.Args) != len(b.Preds) {
		return fmt.Sprintf("phi %d has %d operands for %d ways into its block", v.ID, len(v.Args), len(b.Preds))
	}
	for i, a := range v.Args {
		p := b.Preds[i]
		if len(p.Succs) != 1 {
			return fmt.Sprintf("phi %d comes after a block with several ways out", v.ID)
		}
		if !reaches(a, p, len(p.Values), at) {
			return fmt.Sprintf("phi %d uses %d, which is not computed before", v.ID, a.ID)
		}
	}
	return ""
}

// reaches reports whether a value has been computed before position i of a block.
func reaches(v *Value, b *Block, i int, at map[*Value]int) bool {
	if v.Op == Const || v.Op == Frame {
		return true
	}
	j, ok := at[v]
	if !ok {
		return false
	}
	return v.Block == b && j < i || v.Block != b && v.Block.Dominates(b)
}
