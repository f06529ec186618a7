package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// checkMemory refuses a result that the memory of the host cannot hold: Go would end the process, and a session with
// it. GPUs return an error themselves.
func checkMemory(op string, shape []int, dt DType, dev *Device) error {
	const small = 256 << 20
	bytes := backend.Product(shape) * dt.Size()
	if bytes < small || !dev.IsCPU() {
		return nil
	}
	free, known := meminfo.Available()
	if !known || bytes < free {
		return nil
	}
	e := &Error{Op: op, Kind: ErrMemory, Shapes: [][]int{shape}, DTypes: []DType{dt}, Devices: []string{dev.Location()}}
	e.Message = fmt.Sprintf("%v of %v takes %.1f GiB; %.1f GiB are free on the host", shape, dt, gib(bytes), gib(free))
	return e.note("drop tensors that are no longer needed, or work in parts")
}

func gib(bytes int) float64 { return float64(bytes) / (1 << 30) }
