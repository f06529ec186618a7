package gpu

import (
	"errors"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// What tests with tensors, which are outside of the package, see of it.

const (
	Block      = block
	BusyEnough = minBusyBlocks
	MaxChain   = maxChain
	MaxIDBytes = maxIDBytes
	MaxRepeats = maxRecomputed
	OftenMet   = minMet

	FuseLater = fuseLater
	FuseNever = fuseNever
	FuseWait  = fuseWait
)

type FuseMode = fuseMode

var FuseModeOf = fuseModeOf

// FuseAs computes chains as the mode says from now on.
func (b *Backend) FuseAs(mode FuseMode) { b.fusion.mode = mode }

// AssumeCompiler stops the backend from looking for a compiler.
func (b *Backend) AssumeCompiler() {
	b.fusion.lookOnce.Do(func() {})
	b.fusion.hasCompiler.Store(true)
}

// Specializes reports whether single operations have kernels for the layouts of their operands.
func (b *Backend) Specializes() bool { return b.fusion.specialize }

// Specialize sets what Specializes reports.
func (b *Backend) Specialize(on bool) { b.fusion.specialize = on }

// Fused is the number of chains that were met, of kernels of chains that were compiled or are being compiled, and of
// those that are loaded.
func (b *Backend) Fused() (chains, compiled, loaded int) {
	ks := &b.fusion.kernels
	return len(ks.byKey), ks.compiled, ks.loaded
}

// LimitKernels sets how many kernels may be loaded and how many chains known, and returns what undoes it.
func LimitKernels(kernels, chains int) (undo func()) {
	k, c := maxFusedKernels, maxChains
	maxFusedKernels, maxChains = kernels, chains
	return func() { maxFusedKernels, maxChains = k, c }
}

// Compiling reports whether kernels are being compiled in the background.
func (b *Backend) Compiling() bool {
	b.fusion.mu.Lock()
	defer b.fusion.mu.Unlock()
	return b.fusion.kernels.compiling > 0
}

// FailToCompile has the chain that leads to s, of a shape, be one that did not compile.
func (b *Backend) FailToCompile(s backend.Storage, shape []int) error {
	c := &b.fusion.chain
	defer c.reset()
	c.visit(s.(*Storage), shape)
	if _, ok := c.walks(s.(*Storage).deferred.Load()); !ok {
		return errors.New("no program")
	}
	b.fusion.kernels.byKey = map[string]*fusedKernel{string(c.program.AppendKey(nil)): {asked: true}}
	return nil
}

// ReportProblem is the end of a compilation that failed.
func (b *Backend) ReportProblem(err error) { b.fusion.kernels.done(&fusedKernel{}, nil, err) }

// Relieve computes what is deferred, as when memory is short.
func (b *Backend) Relieve() bool { return b.fusion.relievePressure() }

// PendingChecks is the number of launches whose indices nobody has looked at yet.
func (b *Backend) PendingChecks() int { return len(b.checks.pending) }

// HoldIDs has the pending checks keep so many bytes of indices.
func (b *Backend) HoldIDs(bytes int) { b.checks.heldBytes = bytes }

// SetBytes changes what a storage believes to be its size.
func (s *Storage) SetBytes(n int) { s.bytes = n }

// ShareScanState sets up to which size states of scans are shared, and returns what it was.
func ShareScanState(bytes int) int {
	before := sharedScanState
	sharedScanState = bytes
	return before
}

// Float8Forms is float8Forms.
func (b *Backend) Float8Forms(x, y backend.Operand, p *kernels.MatMul) (left, right backend.Operand, ok bool,
	err error) {
	return float8Forms(b, x, y, p)
}

// BufferOf is the memory of a storage.
func BufferOf(s backend.Storage) *rocm.Buffer { return buffer(s) }

// CompileSingly has devices compile kernels when they are first used, during a test.
func CompileSingly(t *testing.T) {
	was := compilesSingly
	compilesSingly = func(*rocm.Device) bool { return true }
	t.Cleanup(func() { compilesSingly = was })
}

// Evenly returns a product's matrices at one stride: see evenly.
func (b *Backend) Evenly(o backend.Operand) (backend.Operand, error) { return evenly(b, o) }
