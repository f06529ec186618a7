package repl

import (
	"time"

	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/rocm"
)

// timedFrom is how long a cell takes before devices are asked how long they worked, which waits for them.
const timedFrom = 500 * time.Millisecond

// timeDevices begins to measure how long the devices work that are open. What it returns waits for them and tells of
// those that did work. Where a cell measures by itself, as %time does, it is that time.
func timeDevices() func() []DeviceTime {
	var timed []*rocm.Device
	for _, d := range rocm.OpenDevices() {
		if d.StartTimer() == nil { // one without a clock is left out
			timed = append(timed, d)
		}
	}
	return func() (list []DeviceTime) {
		for _, d := range timed {
			if work, err := d.StopTimer(); err == nil && work > 0 { // an error comes up again where a cell can be told
				list = append(list, DeviceTime{Device: d.String(), Emulated: d.Emulated(), Time: work})
			}
		}
		return list
	}
}

// deviceMemory is the memory of the devices that cells have opened, other than the host.
func deviceMemory() (list []DeviceMemory) {
	for _, d := range opened.Devices() {
		if d.IsCPU() {
			continue
		}
		m := d.Memory()
		list = append(list, DeviceMemory{Device: d.String(), InUse: m.InUse, Reserved: m.Reserved, Total: m.Total})
	}
	return list
}

// busyDevice says what a call of a device that has not returned works on.
func busyDevice() string {
	for _, d := range rocm.OpenDevices() {
		if what := d.Busy(); what != "" {
			return what + " on " + d.String()
		}
	}
	return ""
}
