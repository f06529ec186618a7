package rocm

import (
	"fmt"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// nvmlCalls is the table of calls of NVML, NVIDIA's management library. Its handles are valid until the process ends.
type nvmlCalls struct {
	init        func() driver.Code                                        `cuda:"nvmlInit_v2"`
	device      func(pci *byte, handle *uintptr) driver.Code              `cuda:"nvmlDeviceGetHandleByPciBusId_v2"`
	temperature func(handle uintptr, sensor int32, c *uint32) driver.Code `cuda:"?nvmlDeviceGetTemperature"`
	power       func(handle uintptr, milliwatts *uint32) driver.Code      `cuda:"?nvmlDeviceGetPowerUsage"`
	clock       func(handle uintptr, kind int32, mhz *uint32) driver.Code `cuda:"?nvmlDeviceGetClockInfo"`
	busy        func(handle uintptr, percent *[2]uint32) driver.Code      `cuda:"?nvmlDeviceGetUtilizationRates"`
	memory      func(handle uintptr, bytes *[3]uint64) driver.Code        `cuda:"?nvmlDeviceGetMemoryInfo"`
}

var loadNVML = sync.OnceValues(func() (*nvmlCalls, error) {
	spec := driver.Search{Name: "libnvidia-ml.so.1", Names: []string{"libnvidia-ml.so.1"},
		Folders: driver.SearchCUDA().Folders}
	lib, err := spec.Load()
	if err != nil {
		return nil, err
	}
	calls := &nvmlCalls{}
	if err := driver.Bind(calls, "cuda", lib); err != nil {
		return nil, err
	}
	if c := calls.init(); c != 0 {
		return nil, nvmlError("nvmlInit_v2", c)
	}
	return calls, nil
})

var nvmlStatuses = map[driver.Code]string{
	1: "NVML_ERROR_UNINITIALIZED", 2: "NVML_ERROR_INVALID_ARGUMENT", 3: "NVML_ERROR_NOT_SUPPORTED",
	4: "NVML_ERROR_NO_PERMISSION",
	6: "NVML_ERROR_NOT_FOUND", 9: "NVML_ERROR_DRIVER_NOT_LOADED", 15: "NVML_ERROR_GPU_IS_LOST",
	18: "NVML_ERROR_LIB_RM_VERSION_MISMATCH", 999: "NVML_ERROR_UNKNOWN",
}

func nvmlError(call string, c driver.Code) error {
	name := nvmlStatuses[c]
	if name == "" {
		name = fmt.Sprintf("status %d", c)
	}
	return &Error{Op: call, Code: int(c), Name: name, Kind: ErrUnsupported}
}

// nvmlSensors queries NVML about the GPU with a PCI address.
func nvmlSensors(pci string) (Sensors, error) {
	n, err := loadNVML()
	if err != nil {
		return Sensors{}, public(err)
	}
	var h uintptr
	if c := n.device(driver.CString(pci), &h); c != 0 {
		return Sensors{}, nvmlError("nvmlDeviceGetHandleByPciBusId_v2", c)
	}
	var s Sensors
	ask := func(name string, lacks bool, call func() driver.Code) {
		if lacks || call() != 0 {
			s.Missing = append(s.Missing, name)
		}
	}
	const graphics, ofMemory = 0, 2 // NVML_CLOCK_GRAPHICS, NVML_CLOCK_MEM
	var celsius, milliwatts, mhz, memoryMHz uint32
	var percent [2]uint32 // of the GPU, of its memory's bus
	var bytes [3]uint64   // total, free, used
	ask("temperature", n.temperature == nil, func() driver.Code { return n.temperature(h, 0, &celsius) })
	ask("power", n.power == nil, func() driver.Code { return n.power(h, &milliwatts) })
	ask("clock", n.clock == nil, func() driver.Code { return n.clock(h, graphics, &mhz) })
	ask("memory clock", n.clock == nil, func() driver.Code { return n.clock(h, ofMemory, &memoryMHz) })
	ask("busy", n.busy == nil, func() driver.Code { return n.busy(h, &percent) })
	ask("memory", n.memory == nil, func() driver.Code { return n.memory(h, &bytes) })
	s.Temperature, s.Power, s.Clock, s.MemoryClock = float64(celsius), float64(milliwatts)/1e3, int(mhz), int(memoryMHz)
	s.Busy, s.MemoryTotal, s.MemoryUsed = int(percent[0]), int64(bytes[0]), int64(bytes[2])
	return s, nil
}
