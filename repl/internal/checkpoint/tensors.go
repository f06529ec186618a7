package checkpoint

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// tensor writes the elements of a tensor, with the device where it is.
func (e *encoder) tensor(t *tensor.Tensor) {
	e.text(t.DType().String())
	shape := t.Shape()
	e.number(uint64(len(shape)))
	for _, n := range shape {
		e.number(uint64(n))
	}
	e.text(t.Device().Location())
	e.number(map[bool]uint64{true: 1}[t.IsVariable()])
	var raw []byte
	_, err := tensor.Try(func() *tensor.Tensor {
		raw = t.ToBytes()
		return t
	})
	if err != nil && e.err == nil {
		e.err = err
	}
	e.number(uint64(len(raw)))
	e.raw(raw)
}

func (e *encoder) tensorReference(v reflect.Value) {
	t, _ := v.Interface().(*tensor.Tensor)
	e.number(uint64(slices.Index(e.w.tensors, t) + 1))
}

func (e *encoder) device(v reflect.Value) {
	location := ""
	if d, _ := v.Interface().(*tensor.Device); d != nil {
		location = d.Location()
	}
	e.text(location)
}

// maxRank bounds what a file says of a tensor's dimensions.
const maxRank = 64

// tensor reads a tensor, and puts it on its device, or on the CPU where there is no such device.
func (d *decoder) tensor() *tensor.Tensor {
	name := d.text()
	rank := d.number()
	if d.err != nil || rank > maxRank {
		d.fail("a tensor has %d dimensions", rank)
		return nil
	}
	shape, count := make([]int, rank), uint64(1)
	for i := range shape {
		n := d.number()
		if shape[i] = int(n); n > math.MaxInt32 || count > 1<<46/max(n, 1) {
			d.fail("a tensor has the size %d", n)
			return nil
		}
		count *= n
	}
	location, variable := d.text(), d.number()
	raw := d.bytes()
	if d.err != nil {
		return nil
	}
	dtype, err := tensor.ParseDType(name)
	if err != nil {
		d.fail("%v", err)
		return nil
	}
	t, err := tensor.Try(func() *tensor.Tensor {
		t := d.on(location).FromBytes(dtype, raw, shape...)
		if variable != 0 {
			t = tensor.NewVar(t)
		}
		return t
	})
	if err != nil {
		d.fail("%v", err)
	}
	return t
}

// on opens a device, or the CPU in its place, which is noted.
func (d *decoder) on(location string) *tensor.Device {
	if dev := d.devices[location]; dev != nil {
		return dev
	}
	dev, err := tensor.NewDevice(location)
	if err != nil {
		d.Notes = append(d.Notes, fmt.Sprintf("tensors of %s are on the CPU now: %v", location, err))
		dev = tensor.CPU()
	}
	d.devices[location] = dev
	return dev
}

// bytes reads a length and so many bytes. It allocates no more than twice what the file has.
func (d *decoder) bytes() []byte {
	n := d.number()
	if d.err != nil {
		return nil
	}
	if n > uint64(d.left) {
		d.fail("%d bytes are announced, the file has %d", n, d.left)
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(d.in, b); err != nil {
		d.err = err
	}
	d.left -= int64(n)
	return b
}
