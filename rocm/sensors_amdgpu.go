package rocm

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// amdgpuSensors reads the files that the kernel driver amdgpu has for a GPU.
func amdgpuSensors(folder string) (Sensors, error) {
	if _, err := os.Stat(folder); err != nil {
		return Sensors{}, &Error{Op: "read sensors", Text: "the system shows no " + folder, Kind: ErrUnsupported,
			Detail: "in a container, /sys must be that of the host"}
	}
	var s Sensors
	number := func(name string, files ...string) float64 {
		for _, file := range files {
			found, _ := filepath.Glob(filepath.Join(folder, file))
			for _, path := range found {
				text, err := os.ReadFile(path)
				if err != nil {
					continue // some files of some cards cannot be read
				}
				if v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil {
					return v
				}
			}
		}
		s.Missing = append(s.Missing, name)
		return 0
	}
	const hwmon = "hwmon/hwmon*/"
	s.Temperature = number("temperature", hwmon+"temp1_input") / 1e3
	s.Power = number("power", hwmon+"power1_average", hwmon+"power1_input") / 1e6
	s.Clock = int(number("clock", hwmon+"freq1_input") / 1e6)
	s.MemoryClock = int(number("memory clock", hwmon+"freq2_input") / 1e6)
	s.Busy = int(number("busy", "gpu_busy_percent"))
	s.MemoryUsed = int64(number("memory", "mem_info_vram_used"))
	s.MemoryTotal = int64(number("memory in all", "mem_info_vram_total"))
	return s, nil
}
