package gpu

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/rocm"
)

// maxFusedKernels is how many kernels of chains are loaded at a time. maxChains is how many chains are known, most of
// them with no kernel. Tests change them.
var (
	maxFusedKernels = 2048
	maxChains       = 16 << 10
)

// load sets the kernel of a chain, nil where it could not be loaded.
func (ks *fusedKernels) load(k *fusedKernel, function *rocm.Function) {
	if k.function == nil && function != nil {
		ks.loaded++
	}
	k.function = function
	ks.use(k)
}

// use returns the kernel of a chain, and notes that it was used now.
func (ks *fusedKernels) use(k *fusedKernel) *rocm.Function {
	ks.clock++
	k.used = ks.clock
	return k.function
}

// forget removes a chain with a kernel.
func (ks *fusedKernels) forget(key string, k *fusedKernel) {
	delete(ks.byKey, key)
	if k.function != nil {
		ks.loaded--
	}
}

// full reports whether no more kernels may be loaded: graphs use those that there are.
func (ks *fusedKernels) full() bool { return ks.loaded+ks.compiling >= maxFusedKernels }

// forgetChains forgets the chains without a kernel when too many are known.
func (ks *fusedKernels) forgetChains() {
	if len(ks.byKey) < maxChains {
		return
	}
	for key, k := range ks.byKey {
		if k.function == nil && !k.asked {
			delete(ks.byKey, key)
		}
	}
}

// evict unloads an eighth of the kernels, those that were not used for the longest time, when there is no room for
// another one. A chain whose kernel was unloaded is as if it had not been met: the cache on disk has its kernel. The
// caller holds the mutex.
func (f *fusion) evict() {
	ks := &f.kernels
	if !ks.full() || ks.clock < ks.retry || f.b.Capturing() {
		return
	}
	keys := map[*rocm.Function]string{}
	var oldest []*fusedKernel
	for key, k := range ks.byKey {
		if k.function != nil {
			keys[k.function] = key
			oldest = append(oldest, k)
		}
	}
	slices.SortFunc(oldest, func(a, b *fusedKernel) int { return cmp.Compare(a.used, b.used) })
	var functions []*rocm.Function
	for _, k := range oldest {
		functions = append(functions, k.function)
	}
	unloaded := rocm.Evict(f.b.dev, functions, (len(oldest)+7)/8)
	for _, function := range unloaded {
		ks.forget(keys[function], ks.byKey[keys[function]])
	}
	if len(unloaded) == 0 { // graphs use all of them
		ks.retry = ks.clock + uint64(maxFusedKernels)
	}
}
