package rocm

import (
	"fmt"
	"sync"
)

// nvmlCalls is the table of calls of NVIDIA's management library. A handle of it is good until the process ends.
type nvmlCalls struct {
	init        func() code                                        `cuda:"nvmlInit_v2"`
	device      func(pci *byte, handle *uintptr) code              `cuda:"nvmlDeviceGetHandleByPciBusId_v2"`
	temperature func(handle uintptr, sensor int32, c *uint32) code `cuda:"?nvmlDeviceGetTemperature"`
	power       func(handle uintptr, milliwatts *uint32) code      `cuda:"?nvmlDeviceGetPowerUsage"`
	clock       func(handle uintptr, kind int32, mhz *uint32) code `cuda:"?nvmlDeviceGetClockInfo"`
	busy        func(handle uintptr, percent *[2]uint32) code      `cuda:"?nvmlDeviceGetUtilizationRates"`
	memory      func(handle uintptr, bytes *[3]uint64) code        `cuda:"?nvmlDeviceGetMemoryInfo"`
}

var loadNVML = sync.OnceValues(func() (*nvmlCalls, error) {
	spec := librarySpec{"libnvidia-ml.so.1", []string{"libnvidia-ml.so.1"}, cudaSpec().folders}
	lib, err := spec.load()
	if err != nil {
		return nil, err
	}
	calls := &nvmlCalls{}
	if err := bind(calls, "cuda", lib); err != nil {
		return nil, err
	}
	if c := calls.init(); c != 0 {
		return nil, nvmlError("nvmlInit_v2", c)
	}
	return calls, nil
})

var nvmlStatuses = map[code]string{
	1: "NVML_ERROR_UNINITIALIZED", 2: "NVML_ERROR_INVALID_ARGUMENT", 3: "NVML_ERROR_NOT_SUPPORTED", 4: "NVML_ERROR_NO_PERMISSION",
	6: "NVML_ERROR_NOT_FOUND", 9: "NVML_ERROR_DRIVER_NOT_LOADED", 15: "NVML_ERROR_GPU_IS_LOST", 18: "NVML_ERROR_LIB_RM_VERSION_MISMATCH", 999: "NVML_ERROR_UNKNOWN",
}

func nvmlError(call string, c code) error {
	name := nvmlStatuses[c]
	if name == "" {
		name = fmt.Sprintf("status %d", c)
	}
	return &Error{Op: call, Code: int(c), Name: name, Kind: ErrUnsupported}
}

// nvmlSensors asks NVML about the GPU at a place on the bus.
func nvmlSensors(pci string) (Sensors, error) {
	n, err := loadNVML()
	if err != nil {
		return Sensors{}, err
	}
	var h uintptr
	if c := n.device(cString(pci), &h); c != 0 {
		return Sensors{}, nvmlError("nvmlDeviceGetHandleByPciBusId_v2", c)
	}
	var s Sensors
	ask := func(name string, lacks bool, call func() code) {
		if lacks || call() != 0 {
			s.Missing = append(s.Missing, name)
		}
	}
	const graphics, ofMemory = 0, 2 // of clocks
	var celsius, milliwatts, mhz, memoryMHz uint32
	var percent [2]uint32 // of the GPU, of its memory's bus
	var bytes [3]uint64   // total, free, used
	ask("temperature", n.temperature == nil, func() code { return n.temperature(h, 0, &celsius) })
	ask("power", n.power == nil, func() code { return n.power(h, &milliwatts) })
	ask("clock", n.clock == nil, func() code { return n.clock(h, graphics, &mhz) })
	ask("memory clock", n.clock == nil, func() code { return n.clock(h, ofMemory, &memoryMHz) })
	ask("busy", n.busy == nil, func() code { return n.busy(h, &percent) })
	ask("memory", n.memory == nil, func() code { return n.memory(h, &bytes) })
	s.Temperature, s.Power, s.Clock, s.MemoryClock = float64(celsius), float64(milliwatts)/1e3, int(mhz), int(memoryMHz)
	s.Busy, s.MemoryTotal, s.MemoryUsed = int(percent[0]), int64(bytes[0]), int64(bytes[2])
	return s, nil
}
