package emulator

type functionKey struct {
	entry uint64
	flush bool
}
type function struct{}
type worker struct{}

// Launch runs a kernel and returns when it is done.
func (g *GPU) Launch(k *Kernel, grid, block [3]uint32, dynamicLDS uint32, kernarg []byte) error {
	return errorf(CodeLaunchFailure, "launch", "the kernel cannot be executed")
}
