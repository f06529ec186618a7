// Package opened remembers the devices that cells have opened, for %tensors, Info and Interrupt.
package opened

import (
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
)

var list struct {
	sync.Mutex
	devices []*tensor.Device
}

// Add notes a device. A device is noted once.
func Add(d *tensor.Device) {
	list.Lock()
	defer list.Unlock()
	if !slices.Contains(list.devices, d) {
		list.devices = append(list.devices, d)
	}
}

// Devices lists the noted devices in the order in which they were opened.
func Devices() []*tensor.Device {
	list.Lock()
	defer list.Unlock()
	return slices.Clone(list.devices)
}
