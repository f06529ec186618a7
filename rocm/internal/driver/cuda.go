//lint:file-ignore ST1003 names of the CUDA driver, as its manual has them

package driver

import (
	"fmt"
	"sync"
)

// The numbers of CUdevice_attribute.
const (
	CU_DEVICE_ATTRIBUTE_WARP_SIZE                = 10
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT     = 16
	CU_DEVICE_ATTRIBUTE_INTEGRATED               = 18
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
)

var LoadCUDA = sync.OnceValues(openCUDA)

// openCUDA loads and initialises the CUDA driver.
func openCUDA() (*Table, error) {
	lib, err := SearchCUDA().Load()
	if err != nil {
		return nil, err
	}
	drv := &Table{Platform: CUDA, Library: lib}
	if err := Bind(drv, "cuda", lib); err != nil {
		return nil, err
	}
	if err := drv.startCUDA(); err != nil {
		return nil, err
	}
	return drv, nil
}

// startCUDA initialises the driver. It is not an error that there is no GPU: CountDevices then returns 0.
func (drv *Table) startCUDA() error {
	if c := drv.init(0); c == codeNoDevice {
		drv.none = true
	} else if c != 0 {
		return drv.Fail("init", c, "")
	}
	var v int32
	if c := drv.version(&v); c != 0 {
		return drv.Fail("version", c, "")
	}
	drv.Runtime = cudaVersion(v)
	return nil
}

// CUDAInfo describes GPU i.
func CUDAInfo(drv *Table, i int) (Info, error) {
	info, err := drv.commonInfo(i, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
		CU_DEVICE_ATTRIBUTE_INTEGRATED)
	if err != nil {
		return info, err
	}
	var major, minor int32
	for attr, to := range map[int32]*int32{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: &major,
		CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: &minor} {
		if c := drv.DeviceAttribute(to, attr, int32(i)); c != 0 {
			return info, drv.Fail("DeviceAttribute", c, "")
		}
	}
	info.Arch = fmt.Sprintf("sm_%d%d", major, minor)
	return info, nil
}
