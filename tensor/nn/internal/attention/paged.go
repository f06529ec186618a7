package attention

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Paged are the operands of attention to keys and values in blocks. CuSeqlens and SeqLens are dense U32, Tables has
// dense rows of U32.
type Paged struct {
	Q, K, V, Out               backend.Operand
	Tables, CuSeqlens, SeqLens backend.Operand
}

// Few reports whether a sequence has so few queries that the kernel for blocks takes it.
func Few(heads, groups, queries int) bool { return heads/groups*queries <= fewQueries }

// TakesPaged reports whether there is a kernel for attention of these types and sizes.
func TakesPaged(dt kernels.DType, p *kernels.PagedAttention) bool {
	return (dt == kernels.F32 || dt == kernels.F16 || dt == kernels.BF16) && max(p.Of.Size, p.Of.ValueSize) <= 256
}

// Paged computes the results of sequences with at most p.Of.Queries queries, and leaves out the others.
func (r *Runner) Paged(o Paged, p kernels.PagedAttention) error {
	of := &p.Of
	most, together := of.Heads/of.Groups*of.Queries, int64(1)
	for together < 4 && together < most {
		together *= 2
	}
	shares := (most + together - 1) / together
	r.splitKeys(of, together, shares)
	of.Part = max(minKeys, keysPerStep(of, together)) // a sequence may have fewer keys than another one
	name := "paged_strided"
	if inPacksOfEight(o.Q, of.Q, of.Size) && inPacksOfEight(o.K, of.K, of.Size) &&
		inPacksOfEight(o.V, of.V, of.ValueSize) {
		name = "paged_attention"
	}
	args := operandsOf(o.Q, o.K, o.V, o.Tables, o.CuSeqlens, o.SeqLens, o.Out)
	release, err := r.withParts(args, of, of.Batch*of.Groups*most)
	if err != nil {
		return err
	}
	defer release()
	grid := [3]int{int(of.Parts), int(min(of.Batch*of.Groups, maxGrid)), int(min(shares, maxGrid))}
	return r.launch(fmt.Sprintf("%s_%d_%v", name, together, o.Q.DType), grid, args.Struct(&p))
}

// withParts adds the memory in which blocks keep the states of rows, unless keys are in one part. The memory may be
// released after the launch.
func (r *Runner) withParts(args *rocm.Args, p *kernels.Attention, rows int64) (release func(), err error) {
	if p.Parts == 1 {
		args.U64(0).U64(0).U64(0)
		return func() {}, nil
	}
	sums := int(rows * p.Parts * p.ValueSize)
	s, err := r.Alloc((sums + int(rows*p.Parts*2)) * kernels.F32.Size())
	if err != nil {
		return nil, err
	}
	counters, err := r.dev.Counters()
	if err != nil {
		s.Release()
		return nil, err
	}
	args.Buffer(bufferOf(s), 0).Buffer(bufferOf(s), sums*kernels.F32.Size()).Buffer(counters, 0)
	return s.Release, nil
}

// Append copies rows of keys and values to slots of the pool, dense U32.
func (r *Runner) Append(k, v, slots, keys, values backend.Operand, p kernels.PagedAppend) error {
	const perBlock = 4 * block
	n := (p.Tokens*p.Groups*max(p.Size, p.ValueSize) + perBlock - 1) / perBlock
	args := operandsOf(k, v, slots, keys, values).Struct(&p)
	return r.launch(fmt.Sprintf("paged_append_b%d", 8*k.DType.Size()), [3]int{int(min(n, maxGrid)), 1, 1}, args)
}
