package tensor

// InplaceOp1 is an operation that writes to its tensor, for InplaceOp1.
type InplaceOp1 interface {
	// Name is the operation's name in errors.
	Name() string
	// CPUForward changes the elements of x, through Data or with methods such as CopySet and ConstSet.
	CPUForward(x *Tensor) error
}

// InplaceROCm1 is implemented by an InplaceOp1 that computes on GPUs too, AMD's as NVIDIA's.
type InplaceROCm1 interface {
	ROCmForward(x *Tensor) error
}

// InplaceOp2 is an operation of two tensors that writes to the first. See InplaceOp1.
type InplaceOp2 interface {
	Name() string
	CPUForward(x, y *Tensor) error
}

// InplaceROCm2 is implemented by an InplaceOp2 that computes on GPUs too.
type InplaceROCm2 interface {
	ROCmForward(x, y *Tensor) error
}

// InplaceOp3 is an operation of three tensors that writes to the first. See InplaceOp1.
type InplaceOp3 interface {
	Name() string
	CPUForward(x, y, z *Tensor) error
}

// InplaceROCm3 is implemented by an InplaceOp3 that computes on GPUs too.
type InplaceROCm3 interface {
	ROCmForward(x, y, z *Tensor) error
}

// InplaceOp1 has op change the elements of t, which views of t see too. It panics with ErrDevice when op has no
// ROCmForward and t is on a GPU, with ErrShape when elements of t repeat, as after BroadcastAs, and with the error that
// op returns.
func (t *Tensor) InplaceOp1(op InplaceOp1) {
	gpu, _ := op.(InplaceROCm1)
	check(t.changed(op.Name(), nil, gpu != nil, func(cpu bool) error {
		if cpu {
			return op.CPUForward(t)
		}
		return gpu.ROCmForward(t)
	}))
}

// InplaceOp2 has op change the elements of t, given y, which must be on the same device. It panics as InplaceOp1 does.
func (t *Tensor) InplaceOp2(y *Tensor, op InplaceOp2) {
	gpu, _ := op.(InplaceROCm2)
	check(t.changed(op.Name(), []*Tensor{y}, gpu != nil, func(cpu bool) error {
		if cpu {
			return op.CPUForward(t, y)
		}
		return gpu.ROCmForward(t, y)
	}))
}

// InplaceOp3 has op change the elements of t, given y and z, which must be on the same device. It panics as InplaceOp1
// does.
func (t *Tensor) InplaceOp3(y, z *Tensor, op InplaceOp3) {
	gpu, _ := op.(InplaceROCm3)
	check(t.changed(op.Name(), []*Tensor{y, z}, gpu != nil, func(cpu bool) error {
		if cpu {
			return op.CPUForward(t, y, z)
		}
		return gpu.ROCmForward(t, y, z)
	}))
}

func (t *Tensor) changed(op string, others []*Tensor, hasGPU bool, run func(cpu bool) error) error {
	if err := t.checkNoOverlap(op); err != nil {
		return err
	}
	if err := t.writable(op); err != nil {
		return err
	}
	_, err := runCustom(op, append([]*Tensor{t}, others...), hasGPU,
		func(cpu bool) (*Tensor, error) { return nil, run(cpu) })
	return err
}
