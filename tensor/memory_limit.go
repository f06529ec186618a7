package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// room refuses values on the host that become a tensor or are returned, of a shape without memory or that none has.
func room(op string, shape []int, dt DType) error {
	if err := checkShape(op, shape, dt); err != nil {
		return err
	}
	return checkMemory(op, shape, dt, CPU())
}

// checkMemory refuses a result that the memory of the host cannot hold: Go would end the process, and a session with
// it. GPUs return an error themselves.
func checkMemory(op string, shape []int, dt DType, dev *Device) error {
	if !dev.IsCPU() {
		return nil
	}
	why := meminfo.Refuse(backend.Product(shape) * dt.Size())
	if why == "" {
		return nil
	}
	e := &Error{Op: op, Kind: ErrMemory, Shapes: [][]int{shape}, DTypes: []DType{dt}, Devices: []string{dev.Location()}}
	e.Message = fmt.Sprintf("%v of %v %s", shape, dt, why)
	return e.note("drop tensors that are no longer needed, or work in parts")
}
