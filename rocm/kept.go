package rocm

import "sync"

// kept are values that packages keep for a device.
type kept struct {
	mu     sync.Mutex
	values map[any]any
}

// Kept returns the value of a key, which create makes at the first call: what a package keeps for a device, such as
// tables in its memory. It is collected with the device. Keys are of types of the package's own.
func Kept(d *Device, key any, create func() any) any {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	v, ok := d.kept.values[key]
	if !ok {
		if d.kept.values == nil {
			d.kept.values = map[any]any{}
		}
		v = create()
		d.kept.values[key] = v
	}
	return v
}
