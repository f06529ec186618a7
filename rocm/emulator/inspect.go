package emulator

import "github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"

type (
	// KernelInfo describes a kernel of a code object: the resources that the compiler has assigned to it.
	KernelInfo = codeobject.KernelInfo
	// Arg is an argument of a kernel. Name and Type may be empty.
	Arg = codeobject.Arg
)

// Inspect reads the descriptions of the kernels of an AMD code object for any GPU, and the name of the GPU if it is a
// known one.
func Inspect(object []byte) (kernels []KernelInfo, arch string, err error) {
	if object, err = codeobject.Unbundle(object, ""); err != nil {
		return nil, "", loadError(err)
	}
	f, arch, list, err := codeobject.Describe(object)
	if err != nil {
		return nil, arch, loadError(err)
	}
	return codeobject.Infos(f, list), arch, nil
}
