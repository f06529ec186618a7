package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// StreamPriorities returns the priorities that streams of d's GPU may have, from the least to the most urgent. A lower
// number is more urgent: 1 and -1 on AMD GPUs, 0 and -5 on NVIDIA's. On an emulated device both are 0. The error has
// the kind ErrUnsupported where the driver has no priorities.
func StreamPriorities(d *Device) (least, greatest int, err error) {
	if d.Emulated() {
		return 0, 0, nil
	}
	if d.drv.PriorityRange == nil {
		return 0, 0, lacks(d, "priorities of streams", "PriorityRange")
	}
	var l, g int32
	err = d.call("PriorityRange", func() driver.Code { return d.drv.PriorityRange(&l, &g) })
	return int(l), int(g), err
}

// NewPriorityStream is Device.NewStream for a stream of a priority: when two streams have work, the GPU starts blocks
// of the more urgent one first. Blocks that run are not interrupted. A priority outside of StreamPriorities is an error
// of kind ErrInvalid.
func NewPriorityStream(d *Device, priority int) (*Device, error) {
	least, greatest, err := StreamPriorities(d)
	if err != nil {
		return nil, err
	}
	if priority > least || priority < greatest {
		return nil, invalid("new stream", "priority %d: those of %v are %d (the least urgent) to %d", priority, d, least,
			greatest)
	}
	if d.Emulated() {
		return d.NewStream()
	}
	if d.drv.StreamCreateWithPriority == nil {
		return nil, lacks(d, "new stream", "StreamCreateWithPriority")
	}
	return newStream(d, func(s *Device) error {
		return s.call("StreamCreateWithPriority", func() driver.Code {
			return s.drv.StreamCreateWithPriority(&s.stream, nonBlocking, int32(priority))
		})
	})
}
