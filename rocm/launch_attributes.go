//lint:file-ignore ST1003 names of the CUDA driver, as its manual has them

package rocm

import "github.com/gorocm/gorocm/rocm/internal/driver"

// A kernel for NVIDIA GPUs declares launch attributes in its module: what every launch of it needs in addition to the
// caller's arguments. They are the sizes of variables, which can be read without a copy from the GPU.
//
//	gr_shared_NAME    KiB of dynamic shared memory. More than 48 KiB must be dynamic, and allowed by SetFunctionAttribute.
//	gr_helpers_NAME   warps that each block has in addition, in x.
const (
	attributeShared = "gr_shared_"
	attributeWarps  = "gr_helpers_"

	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 // of CUfunction_attribute
)

// launchAttributes reads the launch attributes of f, and allows its shared memory.
func (m *Module) launchAttributes(f *Function) error {
	shared, err := m.sizeOf(attributeShared + f.name)
	if err != nil || shared == 0 {
		return err
	}
	helpers, err := m.sizeOf(attributeWarps + f.name)
	if err != nil {
		return err
	}
	f.extraShared, f.extraThreads = shared<<10, helpers*m.device.info.Wave
	drv := m.device.drv
	if drv.SetFunctionAttribute == nil {
		return &Error{Op: "load " + f.name, Text: "the driver lacks " + drv.CName("SetFunctionAttribute"),
			Kind: ErrUnsupported}
	}
	return named(m.device.call("SetFunctionAttribute", func() driver.Code {
		return drv.SetFunctionAttribute(f.handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int32(f.extraShared))
	}), f.name)
}

// sizeOf is the size of a variable of the module, 0 for one that does not exist.
func (m *Module) sizeOf(name string) (int, error) {
	drv := m.device.drv
	if drv.ModuleGlobal == nil || drv.Platform != driver.CUDA {
		return 0, nil
	}
	var p, n uintptr
	err := m.device.call("ModuleGlobal", func() driver.Code {
		c := drv.ModuleGlobal(&p, &n, m.handle, driver.CString(name))
		if c == driver.CodeNotFound {
			return 0
		}
		return c
	})
	return int(n), err
}
