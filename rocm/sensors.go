package rocm

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Sensors are a GPU's readings. One that the GPU does not have is 0 and named in Missing.
type Sensors struct {
	Temperature             float64 // °C
	Power                   float64 // watts
	Clock, MemoryClock      int     // MHz, now
	Busy                    int     // percent of the time
	MemoryUsed, MemoryTotal int64   // bytes, of all processes
	Missing                 []string
}

// String formats the readings that are known.
func (s Sensors) String() string {
	var parts []string
	add := func(name, format string, v any) {
		for _, m := range s.Missing {
			if m == name {
				return
			}
		}
		parts = append(parts, fmt.Sprintf(format, v))
	}
	add("temperature", "%.0f °C", s.Temperature)
	add("power", "%.0f W", s.Power)
	add("busy", "%d %% busy", s.Busy)
	add("clock", "%d MHz", s.Clock)
	add("memory clock", "memory at %d MHz", s.MemoryClock)
	add("memory", "%s in use", byteText(s.MemoryUsed)+" of "+byteText(s.MemoryTotal))
	if len(s.Missing) > 0 {
		parts = append(parts, "no "+strings.Join(s.Missing, ", "))
	}
	return strings.Join(parts, ", ")
}

// pciFolders is where Linux has devices by PCI address.
var pciFolders = "/sys/bus/pci/devices"

// ReadSensors reads the sensors of a GPU: of an AMD GPU through the files of its kernel driver, which rocm-smi reads,
// too, of an NVIDIA GPU through NVML. The GPU need not be open.
func ReadSensors(i Info) (Sensors, error) {
	const op = "read sensors"
	var drv *driver.Table
	var err error
	switch i.Platform {
	case HIP:
		drv, err = driver.LoadHIP()
	case CUDA:
		drv, err = driver.LoadCUDA()
	default:
		return Sensors{}, &Error{Op: op, Text: "an emulated GPU has none", Kind: ErrUnsupported}
	}
	if err != nil {
		return Sensors{}, public(err)
	}
	if drv.PCIBusID == nil {
		return Sensors{}, &Error{Op: op, Text: drv.Library.Path + " has no " + drv.CName("PCIBusID"),
			Kind: ErrNoLibrary}
	}
	var text [64]byte
	if c := drv.PCIBusID(&text[0], int32(len(text)), int32(i.Index)); c != 0 {
		return Sensors{}, public(drv.Fail("PCIBusID", c, ""))
	}
	if i.Platform == CUDA {
		return nvmlSensors(driver.GoString(&text[0]))
	}
	return amdgpuSensors(filepath.Join(pciFolders, strings.ToLower(driver.GoString(&text[0]))))
}
