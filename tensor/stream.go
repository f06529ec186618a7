package tensor

import "github.com/gorocm/gorocm/tensor/internal/backend"

// NewStream returns a device on the same GPU whose operations have their own order: they may overlap with those of d,
// as those of two goroutines do. It counts as another device: an operation takes tensors of one of them, and ToDevice
// copies between them, on the GPU. Streams should be few, and live as long as the process. On an emulated GPU nothing
// overlaps; results are the same. The CPU has no streams: the error is of kind ErrDevice.
func (d *Device) NewStream() (*Device, error) {
	b, ok := d.backend.(backend.Streamer)
	if !ok {
		return nil, &Error{Op: "new stream", Kind: ErrDevice, Devices: []string{d.location},
			Message: "the CPU has no streams"}
	}
	s, err := b.NewStream()
	if err != nil {
		return nil, caused(&Error{Op: "new stream", Kind: ErrDevice, Devices: []string{d.location}}, err)
	}
	return newDevice(d.kind, s.(backend.GPU).Device().String(), s), nil
}
