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
	watch   func()
}

// Add notes a device. A device is noted once.
func Add(d *tensor.Device) {
	list.Lock()
	if !slices.Contains(list.devices, d) {
		list.devices = append(list.devices, d)
	}
	watch := list.watch
	list.Unlock()
	if watch != nil {
		watch()
	}
}

// Watch has f called, in place of the function before, whenever a cell opens a device; nil for none.
func Watch(f func()) {
	list.Lock()
	defer list.Unlock()
	list.watch = f
}

// Devices lists the noted devices in the order in which they were opened.
func Devices() []*tensor.Device {
	list.Lock()
	defer list.Unlock()
	return slices.Clone(list.devices)
}
