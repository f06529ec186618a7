package gpu

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm"
)

// fusedKernels are the kernels of chains that were met, by their structure.
type fusedKernels struct {
	byKey     map[string]*fusedKernel
	compiled  int   // or being compiled
	compiling int   // in the background
	problem   error // of the first that did not compile
}

type fusedKernel struct {
	function *rocm.Function // nil until it is there
	met      int
	asked    bool // that it be compiled
	failed   bool // it cannot be
}

// Bounds of what is compiled. A chain on the emulated device must come often to be worth the second that clang takes for it, of a processor
// that it runs on, too; so must a single operation, which has a kernel already.
const (
	maxFusedKernels = 2048
	maxCompiling    = 32
	minMet          = 8
)

// compileTurn is held by the one compilation in the background that is under way: the program has work for the processor, too.
var compileTurn sync.Mutex

// fusedKernel returns the kernel of a chain, nil if there is none yet, and then whether it is being compiled.
func (a *Backend) fusedKernel(c *chain) (function *rocm.Function, soon bool) {
	f := &a.fusion
	c.key = c.program.AppendKey(c.key[:0])
	k := f.kernels.byKey[string(c.key)]
	if k != nil && k.function != nil {
		return k.function, false
	}
	if k == nil {
		k = &fusedKernel{}
		if f.kernels.byKey == nil {
			f.kernels.byKey = map[string]*fusedKernel{}
		}
		f.kernels.byKey[string(c.key)] = k
		if f.mode == fuseLater {
			program := c.load()
			if m, ok := a.dev.LoadCached(program.Program); ok {
				k.function, _ = m.Function(program.symbol)
				return k.function, false
			}
		}
	}
	if k.asked || f.kernels.compiled == maxFusedKernels {
		return nil, k.asked && !k.failed
	}
	if f.mode == fuseWait {
		k.asked = true
		f.kernels.compiled++
		function, err := a.loadFused(c.load())
		f.kernels.done(k, function, err)
		return k.function, false
	}
	k.met++
	often := k.met >= minMet || !a.dev.Emulated() && (len(c.nodes) > 1 || c.program.Close.Op != "")
	if !often || f.kernels.compiling == maxCompiling {
		return nil, false
	}
	k.asked = true
	f.kernels.compiled++
	f.kernels.compiling++
	program := c.load()
	go func() {
		f.mu.Lock()
		//lint:ignore SA2001 who holds the mutex may be compiling what somebody waits for, which comes first
		f.mu.Unlock()
		compileTurn.Lock()
		function, err := a.loadFused(program)
		compileTurn.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.kernels.compiling--
		f.kernels.done(k, function, err)
	}()
	return nil, true
}

func (ks *fusedKernels) done(k *fusedKernel, function *rocm.Function, err error) {
	k.function, k.failed = function, err != nil
	if err != nil && ks.problem == nil {
		ks.problem = err
	}
}

// failed is why the first chain that did not compile did not.
func (f *fusion) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kernels.problem
}

// fusedProgram is a kernel to be loaded.
type fusedProgram struct {
	rocm.Program
	symbol string
}

// load makes a program of the chain, which does not refer to it any more.
func (c *chain) load() fusedProgram {
	p := c.program
	p.Inputs, p.Numbers, p.Steps = slices.Clone(p.Inputs), slices.Clone(p.Numbers), slices.Clone(p.Steps)
	symbol := p.Symbol()
	sum := sha256.Sum256(c.key)
	return fusedProgram{rocm.Program{Name: fmt.Sprintf("%s.%x", symbol, sum[:8]), Source: p.Source}, symbol}
}

func (a *Backend) loadFused(p fusedProgram) (*rocm.Function, error) {
	m, err := a.dev.Load(p.Program)
	if err != nil {
		return nil, err
	}
	return m.Function(p.symbol)
}
