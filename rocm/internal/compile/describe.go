package compile

import (
	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// DescribeKernel reads the description of a kernel in an AMD code object.
func DescribeKernel(object []byte, kernel string) (emulator.KernelInfo, error) {
	infos, _, err := emulator.Inspect(object)
	if err != nil {
		return emulator.KernelInfo{}, &driver.Error{Op: "resources of " + kernel, Text: err.Error(),
			Kind: driver.ErrUnsupported}
	}
	for _, i := range infos {
		if i.Name == kernel {
			return i, nil
		}
	}
	return emulator.KernelInfo{}, &driver.Error{Op: "resources of " + kernel,
		Text: "the code object does not describe it", Kind: driver.ErrUnsupported}
}
