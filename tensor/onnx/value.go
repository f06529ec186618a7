package onnx

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Small tensors stay on the host, where shapes are computed: a GPU need not be waited for at each of them. What is
// larger than this is computed on the device.
const (
	smallInts   = 4096
	smallFloats = 64
)

// value is what an edge of the graph carries: a tensor, which may have a copy on the other of host and device, or a
// sequence of tensors.
type value struct {
	t, copied *tensor.Tensor // copied is nil until the other device needs it
	list      []*value       // of a sequence
	sequence  bool
	elem      elem // of constants whose type no dtype equals; 0 for others
}

func valueOf(t *tensor.Tensor) *value { return &value{t: t} }

// small reports whether a tensor is of a size that stays on the host.
func small(t *tensor.Tensor) bool {
	if t.DType().IsInt() || t.DType() == tensor.Bool {
		return t.ElemCount() <= smallInts
	}
	return t.ElemCount() <= smallFloats
}

// onHost reports whether the elements are on the host, so that reading them does not wait.
func (v *value) onHost() bool { return v.t != nil && (v.t.Device().IsCPU() || v.copied != nil) }

// on returns the tensor on a device. Copies from the host are kept for the next time.
func (v *value) on(dev *tensor.Device) *tensor.Tensor {
	switch {
	case v.t.Device() == dev:
		return v.t
	case v.copied != nil && v.copied.Device() == dev:
		return v.copied
	}
	var t *tensor.Tensor
	scope.Outside(func() { t = v.t.ToDevice(dev) })
	if v.t.Device().IsCPU() {
		v.copied = t
	}
	return t
}

// stores calls f with the memory of a value, each of it once.
func (v *value) stores(f func(backend.Storage)) {
	if v == nil {
		return
	}
	if v.t != nil {
		f(extend.Operand(v.t).Store)
	}
	for _, x := range v.list {
		x.stores(f)
	}
}

// String says what a value is, for errors.
func (v *value) String() string {
	switch {
	case v == nil:
		return "none"
	case v.sequence:
		return fmt.Sprintf("a sequence of %d", len(v.list))
	}
	return fmt.Sprintf("%v %v", v.t.DType(), shapeText(v.t.Dims()))
}

func shapeText(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}

// memory counts which values of a run have memory that was made in it, so that it is freed after its last use.
type memory struct{ uses map[backend.Storage]int }

// made begins to count memory that an operation has made.
func (m *memory) made(s backend.Storage) {
	if _, ok := m.uses[s]; !ok {
		m.uses[s] = 0
	}
}

// hold counts a use of a value.
func (m *memory) hold(v *value) {
	v.stores(func(s backend.Storage) {
		if n, ok := m.uses[s]; ok {
			m.uses[s] = n + 1
		}
	})
}

// release ends a use of a value, and frees what has no use left.
func (m *memory) release(v *value) {
	v.stores(func(s backend.Storage) {
		n, ok := m.uses[s]
		if !ok {
			return
		}
		if m.uses[s] = n - 1; n <= 1 {
			delete(m.uses, s)
			scope.Drop(s)
		}
	})
}

// dropUnused frees memory that no value has.
func (m *memory) dropUnused(s backend.Storage) {
	if n, ok := m.uses[s]; ok && n == 0 {
		delete(m.uses, s)
		scope.Drop(s)
	}
}
