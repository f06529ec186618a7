package tensor

import "github.com/gorocm/gorocm/tensor/internal/backend"

// NewStream returns a device on the same GPU that does its work in an order of its own: operations on the tensors of both may overlap, as from two
// goroutines. It counts as another device: an operation takes tensors of one of them, and ToDevice brings them over, on the GPU. Streams are few, and live as
// long as the process. Where nothing overlaps, on an emulated GPU, results are the same. The CPU has no streams: the error is of kind ErrDevice.
func (d *Device) NewStream() (*Device, error) {
	b, ok := d.backend.(backend.Streamer)
	if !ok {
		return nil, &Error{Op: "new stream", Kind: ErrDevice, Devices: []string{d.location}, Message: "the CPU has no streams"}
	}
	s, err := b.NewStream()
	if err != nil {
		return nil, caused(&Error{Op: "new stream", Kind: ErrDevice, Devices: []string{d.location}}, err)
	}
	return newDevice(d.kind, s.(backend.GPU).Device().String(), s), nil
}
