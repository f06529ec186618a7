package gpu

import (
	"encoding/binary"
	"math"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// MapElements computes a function over elements with one kernel of its own. If the function may fail it waits for the
// kernel.
func (b *Backend) MapElements(
	d *element.Device, captured []uint64, out kernels.DType, shape []int, ins []backend.Operand,
) (backend.Storage, int, error) {
	os := append([]backend.Operand(nil), ins...)
	e := kernels.Element{Source: d.Source, Captured: d.Captured, Out: out, UsesMath: d.UsesMath, MayFail: d.MayFail}
	n := backend.Product(shape)
	m, err := walkElements(b, &e, shape, os)
	if err != nil {
		return nil, 0, err
	}
	f, err := elementKernel(b, d, &e)
	if err != nil {
		return nil, 0, err
	}
	s, err := b.Alloc(n * out.Size())
	if err != nil {
		return nil, 0, err
	}
	args := rocm.NewArgs()
	for _, o := range os {
		pointer(args, o)
	}
	args.Buffer(buffer(s), 0)
	c := chain{program: kernels.Fused{Wide: e.Wide}}
	if e.Rank > 0 {
		c.words(args, m.Dims...)
		for _, strides := range m.Strides {
			c.words(args, strides...)
		}
	}
	c.words(args, n)
	for _, bits := range captured {
		args.U64(bits)
	}
	if !e.MayFail {
		return s, 0, launchFunction(b, f, blocks(n), block, args)
	}
	failed, err := launchFailing(b, f, n, args)
	return s, failed, err
}

// launchFailing launches a kernel whose last argument is a word for the first element of which the function has failed,
// and returns that element plus one, 0 for none.
func launchFailing(b *Backend, f *rocm.Function, n int, args *rocm.Args) (int, error) {
	word, err := b.Upload(make([]byte, 8))
	if err != nil {
		return 0, err
	}
	if err := launchFunction(b, f, blocks(n), block, args.Buffer(buffer(word), 0)); err != nil {
		return 0, err
	}
	var bits [8]byte
	if err := buffer(word).Download(bits[:], 0); err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint64(bits[:])), nil
}

// walkElements says how the kernel reads its inputs. Those that have too many dims together are copied.
func walkElements(
	b *Backend, e *kernels.Element, shape []int, os []backend.Operand,
) (m backend.Coalesced, err error) {
	if err := b.fitDimsTogether(os); err != nil {
		return m, err
	}
	e.Wide = backend.Product(shape) > math.MaxInt32
	var strided [][]int
	for _, o := range os {
		walk := kernels.FusedDense
		if !o.Layout.IsContiguous() {
			walk, strided = kernels.FusedStrided, append(strided, o.Layout.Strides)
		}
		e.Inputs = append(e.Inputs, kernels.FusedInput{Type: o.DType, Walk: walk})
	}
	if len(strided) > 0 {
		m = backend.Coalesce(shape, strided...)
		e.Rank, e.Wide = len(m.Dims), e.Wide || !fits32(m)
	}
	return m, nil
}

// elementKernel is the kernel of a function.
func elementKernel(b *Backend, d *element.Device, e *kernels.Element) (*rocm.Function, error) {
	unit, err := e.Unit()
	if err != nil {
		return nil, err
	}
	module, err := b.dev.Compile(d.Operation, unit)
	if err != nil {
		return nil, err
	}
	return module.Function(kernels.ElementSymbol)
}
