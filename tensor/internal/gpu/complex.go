package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Complex launches one kernel. Its result is not deferred, because chains have no complex elements.
func (b *Backend) Complex(op *kernels.ComplexOp, operands ...backend.Operand) (backend.Storage, error) {
	if err := b.fitDimsTogether(operands); err != nil {
		return nil, err
	}
	dt, n := operands[0].DType, operands[0].Layout.ElemCount()
	s, err := b.Alloc(n * dt.Size())
	if err != nil {
		return nil, err
	}
	args := rocm.NewArgs()
	for _, o := range operands {
		pointer(args, o)
	}
	layouts(args.Buffer(buffer(s), 0), operands).U64(uint64(n))
	return s, b.Launch(op.Name+"_"+dt.String(), blocks(n), args)
}
