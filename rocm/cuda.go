package rocm

import (
	"fmt"
	"sync"
)

// The numbers of CUdevice_attribute.
const (
	cuAttributeWarpSize            = 10
	cuAttributeMultiprocessorCount = 16
	cuAttributeMajor               = 75
	cuAttributeMinor               = 76
)

var loadCUDA = sync.OnceValues(openCUDA)

// openCUDA loads and initialises the CUDA driver.
func openCUDA() (*driver, error) {
	lib, err := cudaSpec().load()
	if err != nil {
		return nil, err
	}
	drv := &driver{platform: CUDA, lib: lib}
	if err := bind(drv, "cuda", lib); err != nil {
		return nil, err
	}
	if c := drv.init(0); c != 0 && c != codeNoDevice {
		return nil, drv.fail("init", c, "")
	}
	var v int32
	if c := drv.version(&v); c != 0 {
		return nil, drv.fail("version", c, "")
	}
	drv.runtime = cudaVersionText(v)
	return drv, nil
}

// cudaInfo describes GPU i.
func cudaInfo(drv *driver, i int) (Info, error) {
	info, err := drv.commonInfo(i, cuAttributeMultiprocessorCount, cuAttributeWarpSize)
	if err != nil {
		return info, err
	}
	var major, minor int32
	for attr, to := range map[int32]*int32{cuAttributeMajor: &major, cuAttributeMinor: &minor} {
		if c := drv.attribute(to, attr, int32(i)); c != 0 {
			return info, drv.fail("attribute", c, "")
		}
	}
	info.Arch = fmt.Sprintf("sm_%d%d", major, minor)
	return info, nil
}
