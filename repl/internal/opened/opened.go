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
	auto    *tensor.Device
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

// AddAuto notes a device that was opened as auto.
func AddAuto(d *tensor.Device) {
	list.Lock()
	list.auto = d
	list.Unlock()
	Add(d)
}

// TakeAuto returns the device that was last opened as auto since it was last called, nil for none.
func TakeAuto() *tensor.Device {
	list.Lock()
	defer list.Unlock()
	d := list.auto
	list.auto = nil
	return d
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
