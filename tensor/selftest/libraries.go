package selftest

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// whole makes whole numbers from -1 to 1, which every type of floats holds, as it does the sums of their products.
func whole(dt tensor.DType, shape ...int) *tensor.Tensor { return wholeUpTo(1, dt, shape...) }

// wholeUpTo makes whole numbers from -most to most.
func wholeUpTo(most int, dt tensor.DType, shape ...int) *tensor.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i*5%(2*most+1) - most)
	}
	return tensor.CPU().FromSlice(values, shape...).ToDType(dt)
}

// checkDNN convolves and pools in every form that goes to a library, with enough products for it.
func checkDNN(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	if info := d.DNN(); info.Name == "" {
		t.Skip("gorocm's own kernels convolve: ", info.Problem)
	}
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		for name, run := range map[string]func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor{
			"conv2d": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(whole(dt, 4, 16, 65, 63)).Conv2d(on(whole(dt, 24, 8, 3, 3)), 1, 2, 1, 2)
			},
			"conv1d": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(whole(dt, 8, 16, 1001)).Conv1d(on(whole(dt, 9, 16, 7)), 3, 1, 2, 1)
			},
			"transposed": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(whole(dt, 4, 16, 33, 31)).ConvTranspose2d(on(whole(dt, 16, 8, 3, 3)), 1, 1, 2, 1)
			},
			"averages": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(whole(dt, 8, 16, 128, 66)).AvgPool2d(2, 2)
			},
			"maxima": func(on func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
				return on(whole(dt, 8, 16, 128, 66)).MaxPool2d(2, 2)
			},
		} {
			t.(devicetest.Runner).Run(fmt.Sprintf("%v/%s", dt, name), func(t devicetest.T) {
				got := run(func(x *tensor.Tensor) *tensor.Tensor { return x.ToDevice(dev) }).Float64s()
				for i, want := range run(func(x *tensor.Tensor) *tensor.Tensor { return x }).Float64s() {
					if got[i] != want {
						t.Fatalf("element %d is %v, want %v", i, got[i], want)
					}
				}
			})
		}
	}
	for kind, words := range d.DNN().Refused {
		// Of pools, libraries lack types, and what they refuse with the channels last they get with the channels first:
		// the report's line about the library has these.
		if strings.Contains(kind, "convolution") && !strings.Contains(kind, "channels last") {
			t.Errorf("%s: %s", kind, words)
		}
	}
}

// groupOf are all GPUs of the device's kind, the device first.
func groupOf(d *rocm.Device) ([]*rocm.Device, error) {
	members := []*rocm.Device{d}
	for _, i := range rocm.Devices() {
		if own := d.Info(); i.Platform == own.Platform && i.Index != own.Index {
			other, err := rocm.Open(i.Device())
			if err != nil {
				return nil, err
			}
			members = append(members, other)
		}
	}
	return members, nil
}

// checkGroup adds numbers up over all GPUs of the device's kind.
func checkGroup(t devicetest.T, d *rocm.Device) {
	members, err := groupOf(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(members) == 1 {
		t.Skip("there is one GPU of this kind only")
	}
	g, err := rocm.NewGroup(members...)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	var at []rocm.Place
	for i, m := range members {
		b, err := m.Alloc(4 * n)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]byte, 4*n)
		for k := range n {
			values[4*k], values[4*k+1] = byte(k), byte(i)
		}
		if err := b.Upload(0, values); err != nil {
			t.Fatal(err)
		}
		at = append(at, rocm.Place{Buffer: b})
	}
	if err := g.AllReduce(rocm.Sum, "i32", n, at, at); err != nil {
		t.Errorf("%+v: %v", g.Library(), err)
	}
	got := make([]byte, 4*n)
	for _, p := range at {
		if err := p.Buffer.Download(got, 0); err != nil {
			t.Fatal(err)
		}
		count := len(members)
		for k := range n {
			if want := uint64(count*(k&255) + count*(count-1)/2<<8); word(got[4*k:]) != want {
				t.Fatalf("%v has the sum %d at %d, want %d", p.Buffer.Device(), word(got[4*k:]), k, want)
			}
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
