package emulator

import "runtime"

// inOrder says that other threads of the host see the loads and stores of one in its order. Elsewhere the instructions
// by which kernels order theirs do so on the host, too: waiting for stores, as a release does, and invalidating caches,
// as an acquire does.
const inOrder = runtime.GOARCH == "amd64"

// fence orders what is before it and what is after: no access passes an atomic addition in either direction.
func fence(w *wave, _ *inst) { w.worker.fences.Add(1) }
