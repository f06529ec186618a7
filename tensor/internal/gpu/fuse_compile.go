package gpu

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"

	"github.com/gorocm/gorocm/rocm"
)

// fusedKernels are the kernels of the chains that have been met, by structure.
type fusedKernels struct {
	byKey     map[string]*fusedKernel
	loaded    int    // kernels that are loaded
	clock     uint64 // counts uses of kernels
	retry     uint64 // clock before which evict does nothing
	compiled  int    // kernels that were compiled, or are being compiled
	compiling int    // kernels that are being compiled in the background
	problem   error  // the error of the first compilation that failed
}

type fusedKernel struct {
	function *rocm.Function // nil until it is loaded
	used     uint64         // clock at its last use
	met      int
	asked    bool // its compilation was asked for
	failed   bool // its compilation failed
}

// Bounds of compilation. On the emulated device a chain must be met often: clang takes a second of a processor that
// the device computes on, too. So must a single operation, which has a kernel already.
const (
	maxCompiling = 32
	minMet       = 8
)

// compileTurns bounds the compilations in the background: the program needs the processors, too. The emulated device
// computes on them.
var compileTurns = map[bool]chan struct{}{ // by whether the device is emulated
	true: make(chan struct{}, 1), false: make(chan struct{}, max(1, runtime.NumCPU()/2)),
}

// fusedKernel returns the kernel of a chain. If there is none yet, soon says whether it is being compiled.
func (f *fusion) fusedKernel(c *chain) (function *rocm.Function, soon bool) {
	c.key = c.program.AppendKey(c.key[:0])
	k := f.kernels.byKey[string(c.key)]
	if k != nil && k.function != nil && !k.function.Loaded() { // another backend of the device has unloaded it
		f.kernels.forget(string(c.key), k)
		k = nil
	}
	if k != nil && k.function != nil {
		return f.kernels.use(k), false
	}
	if k == nil {
		f.kernels.forgetChains()
		f.evict()
		k = &fusedKernel{}
		if f.kernels.byKey == nil {
			f.kernels.byKey = map[string]*fusedKernel{}
		}
		f.kernels.byKey[string(c.key)] = k
		if f.mode == fuseLater {
			program := c.load()
			if m, ok := f.b.dev.LoadCached(program.Program); ok {
				function, _ := m.Function(program.symbol)
				f.kernels.load(k, function)
				return f.kernels.use(k), false
			}
		}
	}
	if !f.b.dev.Emulated() && f.b.Capturing() && !k.failed { // the graph is to have it for good
		k.asked = true
		function, err := f.loadFused(c.load())
		f.kernels.done(k, function, err)
		return k.function, false
	}
	if !k.asked {
		f.evict()
	}
	if k.asked || f.kernels.full() {
		return nil, k.asked && !k.failed
	}
	if f.mode == fuseWait || f.mode == fuseLater && f.lacksSeveral(c) {
		k.asked = true
		f.kernels.compiled++
		function, err := f.loadFused(c.load())
		f.kernels.done(k, function, err)
		return k.function, false
	}
	k.met++
	often := k.met >= minMet || !f.b.dev.Emulated() && (len(c.nodes) > 1 || c.program.Close.Op != "")
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
		turns := compileTurns[f.b.dev.Emulated()]
		turns <- struct{}{}
		function, err := f.loadFused(program)
		<-turns
		f.mu.Lock()
		defer f.mu.Unlock()
		f.kernels.compiling--
		f.kernels.done(k, function, err)
	}()
	return nil, true
}

// lacksSeveral reports whether several of a chain's operations would have to wait for the compiler if they were
// launched one by one: then the chain's own kernel is there sooner.
func (f *fusion) lacksSeveral(c *chain) bool {
	d := f.b.dev
	if !compilesSingly(d) {
		return false
	}
	lacking := map[string]bool{}
	for _, n := range c.nodes {
		kernel := n.e.kernel()
		if _, loaded := f.b.functions.Load(kernel); loaded || lacking[kernel] {
			continue
		}
		if _, cached := d.LoadCached(programOf(kernel)); !cached {
			lacking[kernel] = true
		}
	}
	return len(lacking) > 1
}

func (ks *fusedKernels) done(k *fusedKernel, function *rocm.Function, err error) {
	ks.load(k, function)
	k.failed = err != nil
	if err != nil && ks.problem == nil {
		ks.problem = err
	}
}

// failed returns the error of the first chain that did not compile.
func (f *fusion) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kernels.problem
}

// fusedProgram is a kernel to load.
type fusedProgram struct {
	rocm.Program
	symbol string
}

// load returns the program of the chain. It shares no memory with the chain.
func (c *chain) load() fusedProgram {
	p := c.program
	p.Inputs, p.Numbers, p.Steps = slices.Clone(p.Inputs), slices.Clone(p.Numbers), slices.Clone(p.Steps)
	symbol := p.Symbol()
	sum := sha256.Sum256(c.key)
	return fusedProgram{rocm.Program{Name: fmt.Sprintf("%s.%x", symbol, sum[:8]), Source: p.Source}, symbol}
}

func (f *fusion) loadFused(p fusedProgram) (*rocm.Function, error) {
	m, err := f.b.dev.Load(p.Program)
	if err != nil {
		return nil, err
	}
	return m.Function(p.symbol)
}
