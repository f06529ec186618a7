package rocm

import "github.com/gorocm/gorocm/rocm/internal/driver"

// A kernel for NVIDIA's GPUs says in its module what it wants at every launch, beside what the caller gives it: a variable's size is the number, so that
// nothing is to be fetched.
//
//	gr_shared_NAME    KiB of dynamic shared memory. Blocks may have more than 48 KiB of shared memory only so, and after SetFunctionAttribute.
//	gr_helpers_NAME   warps that a block has beyond the caller's in x.
const (
	wantedShared  = "gr_shared_"
	wantedHelpers = "gr_helpers_"

	cuMaxDynamicShared = 8 // of CUfunction_attribute
)

// wants finds out what f wants, and asks the driver for it.
func (m *Module) wants(f *Function) error {
	shared, err := m.sizeOf(wantedShared + f.name)
	if err != nil || shared == 0 {
		return err
	}
	helpers, err := m.sizeOf(wantedHelpers + f.name)
	if err != nil {
		return err
	}
	f.shared, f.helpers = shared<<10, helpers*m.device.info.Wave
	drv := m.device.drv
	if drv.SetFunctionAttribute == nil {
		return &Error{Op: "load " + f.name, Text: "the driver lacks " + drv.CName("SetFunctionAttribute"), Kind: ErrUnsupported}
	}
	return named(m.device.do("SetFunctionAttribute", func() driver.Code { return drv.SetFunctionAttribute(f.handle, cuMaxDynamicShared, int32(f.shared)) }), f.name)
}

// sizeOf is the size of a variable of the module, 0 where there is none.
func (m *Module) sizeOf(name string) (int, error) {
	drv := m.device.drv
	if drv.ModuleGlobal == nil {
		return 0, nil
	}
	var p, n uintptr
	err := m.device.do("ModuleGlobal", func() driver.Code {
		c := drv.ModuleGlobal(&p, &n, m.handle, driver.CString(name))
		if c == driver.CodeNotFound {
			return 0
		}
		return c
	})
	return int(n), err
}
