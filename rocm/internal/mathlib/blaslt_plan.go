package mathlib

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// ltShape is the key of a plan.
type ltShape struct {
	elem                       string
	m, n, k, batch             int
	leads, batches, alignments [3]int // of A, of the transposed B, and of C
}

// ltPlan is the descriptors for products of one shape, and the algorithms that the library proposes, the best first.
type ltPlan struct {
	product, preference uintptr
	// the library's A, which is the transposed B; its B, which is A; the addend; the result
	matrices   [4]uintptr
	results    *[maxAlgorithms * maxResultSize]byte
	count      int32
	algorithms []*byte // the usable ones, in results
	verified   bool    // the first one has computed a product
	workspace  int     // bytes, the maximum of the algorithms
}

// maxAlgorithms are asked for, since some that hipBLASLt proposes for small shapes fail when they run. maxResultSize is
// the bytes of one of cuBLASLt's heuristic results, which are the larger ones.
const (
	maxAlgorithms = 8
	maxResultSize = 96
)

func (p *ltPlan) destroySteps(lib *ltLibrary) []libraryStep {
	column := lib.kind.Platform.Column()
	list := []descriptor{
		{driver.CName[ltCalls]("destroyProduct", column), lib.destroyProduct, p.product},
		{driver.CName[ltCalls]("destroyPreference", column), lib.destroyPreference, p.preference},
	}
	for _, m := range p.matrices {
		list = append(list, descriptor{driver.CName[ltCalls]("destroyMatrix", column), lib.destroyMatrix, m})
	}
	return destroySteps(list...)
}

// Multiply puts a product of f8e4m3 on the stream, whose operands are as TakesFloat8 requires. The library is
// column-major: to it, all three matrices are transposed, and C is B·A.
func (n *BLASLt) Multiply(d Device, g *Gemm) (bool, error) {
	columns := g.B.transposed()
	shape := ltShape{elem: g.Elem, m: g.M, n: g.N, k: g.K, batch: g.Batch}
	for i, m := range []struct {
		Matrix
		rows, cols int
	}{{g.A, g.M, g.K}, {columns, g.N, g.K}, {g.C, g.M, g.N}} {
		f, _ := m.layout(m.rows, m.cols)
		shape.leads[i], shape.alignments[i] = f.leadingDim, alignment(m.Ptr)
		if g.Batch > 1 {
			shape.batches[i] = m.Batch
		}
	}
	text := g.Elem
	if g.Batch > 1 {
		text += " in batches"
	}
	fresh, space := &ltPlan{}, Memory(nil)
	done, err := n.runPlanned(d, shape, text, g.Elem, fresh, func() error { return n.plan(d, &shape, fresh) },
		func(made plan[*ltLibrary]) (libraryStep, func(), error) {
			p := made.(*ltPlan)
			var err error
			if space, err = d.Alloc(p.workspace); err != nil {
				return libraryStep{}, nil, err // memory is short: gorocm's kernels need none
			}
			one, zero := scalars(g.Elem)
			added := uintptr(0)
			if n.lib.kind.addendIsResult {
				added = g.C.Ptr
			}
			stream := d.WorkStream()
			run := func() driver.Code {
				return p.run(n.lib.kind, func(way *byte) driver.Code {
					return n.lib.multiply(n.handle, p.product, one, columns.Ptr, p.matrices[0], g.A.Ptr, p.matrices[1],
						zero, added, p.matrices[2],
						g.C.Ptr, p.matrices[3], address(way), space.Ptr(), uintptr(p.workspace), stream)
				})
			}
			return n.step("multiply", run), space.Free, nil
		})
	if done && d.Recording() {
		d.Keep(space) // the graph uses it at each replay
	}
	return done, err
}

// run computes with the algorithm that has worked before, or with the first one that works. When memory is short, the
// algorithm is kept for the next time.
func (p *ltPlan) run(kind *ltKind, run func(way *byte) driver.Code) driver.Code {
	for {
		status := run(p.algorithms[0])
		if status == 0 {
			p.verified = true
		}
		if p.verified || len(p.algorithms) == 1 || slices.Contains(kind.NoMemory, status) {
			return status
		}
		p.algorithms = p.algorithms[1:]
	}
}

// alignment is the largest power of two that divides an address, up to 256.
func alignment(at uintptr) int {
	const most = 256
	at |= most
	return int(at & -at)
}

// plan creates the descriptors for products of one shape and asks for algorithms.
func (n *BLASLt) plan(d Device, s *ltShape, p *ltPlan) error {
	kind := n.lib.kind
	elem := kind.elems[s.elem]
	if err := n.call(d, n.step("createProduct",
		func() driver.Code { return n.lib.createProduct(&p.product, kind.compute, kind.elems["f32"]) })); err != nil {
		return err
	}
	if err := n.set(d, "setProduct", n.lib.setProduct, p.product, kind.transposed, le32(kind.transpose)); err != nil {
		return err
	}
	for i, m := range []struct {
		elem       int32
		rows, cols int
		operand    int // of the shape
	}{{elem, s.k, s.n, 1}, {elem, s.k, s.m, 0}, {kind.addendTypes[s.elem], s.n, s.m, 2}, {elem, s.n, s.m, 2}} {
		err := n.call(d, n.step("createMatrix", func() driver.Code {
			return n.lib.createMatrix(&p.matrices[i], m.elem, uint64(m.rows), uint64(m.cols), int64(s.leads[m.operand]))
		}))
		if err == nil && s.batch > 1 {
			if err = n.set(d, "setMatrix", n.lib.setMatrix, p.matrices[i], kind.batches,
				le32(int32(s.batch))); err == nil {
				err = n.set(d, "setMatrix", n.lib.setMatrix, p.matrices[i], kind.batchStride,
					binary.LittleEndian.AppendUint64(nil, uint64(s.batches[m.operand])))
			}
		}
		if err != nil {
			return err
		}
	}
	return n.choose(d, s, p)
}

// set sets an attribute of a descriptor.
func (n *BLASLt) set(d Device, field string, call func(uintptr, int32, unsafe.Pointer, uintptr) driver.Code,
	desc uintptr, attribute int32, value []byte) error {
	return n.call(d, n.step(field, func() driver.Code {
		return call(desc, attribute, unsafe.Pointer(&value[0]),
			uintptr(len(value)))
	}))
}

func le32(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

// choose asks for the algorithms that the library expects to be the fastest.
func (n *BLASLt) choose(d Device, s *ltShape, p *ltPlan) error {
	kind := n.lib.kind
	if err := n.call(d, n.step("createPreference",
		func() driver.Code { return n.lib.createPreference(&p.preference) })); err != nil {
		return err
	}
	prefer := func(attribute int32, value []byte) error {
		return n.set(d, "setPreference", n.lib.setPreference, p.preference, attribute, value)
	}
	if err := prefer(kind.workspaceLimit, binary.LittleEndian.AppendUint64(nil, uint64(kind.workspace))); err != nil {
		return err
	}
	if kind.reductionSchemes != 0 {
		if err := prefer(kind.reductionSchemes, le32(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)); err != nil {
			return err
		}
	}
	if kind.alignments != 0 {
		for i, operand := range []int{1, 0, 2, 2} {
			if err := prefer(kind.alignments+int32(i), le32(int32(s.alignments[operand]))); err != nil {
				return err
			}
		}
	}
	m := &p.matrices
	p.results = new([maxAlgorithms * maxResultSize]byte)
	choose := func() driver.Code {
		return n.lib.choose(n.handle, p.product, m[0], m[1], m[2], m[3], p.preference, maxAlgorithms,
			address(p.results), address(&p.count))
	}
	if err := n.call(d, n.step("choose", choose)); err != nil {
		return err
	}
	p.readResults(kind)
	if len(p.algorithms) == 0 {
		return &driver.Error{Op: "multiply",
			Text: fmt.Sprintf("no way to compute a product of %d×%d by %d×%d among the %d of the library", s.m, s.k,
				s.k, s.n, p.count),
			Kind: driver.ErrUnsupported, Detail: n.library.Label()}
	}
	return nil
}

// readResults finds the usable algorithms: those that work within the workspace. Some versions of hipBLASLt propose
// others, too.
func (p *ltPlan) readResults(kind *ltKind) {
	size := kind.algorithmSize + 32 // then come the bytes of workspace, a status, a waves count and reserved words
	for i := range min(int(p.count), maxAlgorithms) {
		answer := p.results[i*size:]
		said := answer[kind.algorithmSize:]
		space := int(binary.LittleEndian.Uint64(said))
		if status := binary.LittleEndian.Uint32(said[8:]); status == 0 && space <= kind.workspace {
			p.algorithms, p.workspace = append(p.algorithms, &answer[0]), max(p.workspace, space)
		}
	}
}
