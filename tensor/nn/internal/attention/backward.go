package attention

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Gradients are the gradient of an attention's result, and those of its operands.
type Gradients struct{ Out, Q, K, V backend.Operand }

// Backward computes the gradients of queries, keys and values from that of the result. The operands, with the result
// and the state, are those of Forward.
func (r *Runner) Backward(o Operands, g Gradients, p kernels.AttentionBackward) error {
	dt, of := o.Q.DType, &p.Of
	const rowsOfDot = block / 32
	rows := of.Batch * of.Heads * of.Queries
	args := withState(operandsOf(o.Out, g.Out), o.State).Struct(&p)
	grid := [3]int{int(min((rows+rowsOfDot-1)/rowsOfDot, maxGrid)), 1, 1}
	if err := r.launch(fmt.Sprintf("attention_dot_%v", dt), grid, args); err != nil {
		return err
	}
	for _, k := range []struct {
		name        string
		rows, heads int64
		results     []backend.Operand
	}{
		{"keys", of.Keys, of.Groups, []backend.Operand{g.K, g.V}},
		{"queries", of.Queries, of.Heads, []backend.Operand{g.Q}},
	} {
		args := withState(operandsOf(o.Q, o.K, o.V, o.mask(), g.Out), o.State)
		for _, x := range k.results {
			args = args.Buffer(bufferOf(x.Store), x.Layout.Offset*x.DType.Size())
		}
		name := fmt.Sprintf("attention_%s_%d_%v", k.name, rowSize(of), dt)
		if dt != kernels.F32 && !plain(of) {
			name = fmt.Sprintf("attention_general_%s_%d_%v", k.name, rowSize(of), dt)
		}
		grid := [3]int{r.tiles(dt, of, k.rows), int(min(of.Batch*k.heads, maxGrid)), 1}
		if err := r.launch(name, grid, args.Struct(&p)); err != nil {
			return err
		}
	}
	return nil
}

// plain reports whether scores are products of queries and keys times a positive factor, as do kernels.
func plain(p *kernels.Attention) bool {
	return p.Softcap == 0 && p.Scale > 0 && (p.Masked == 0 || p.Masked == 3)
}
