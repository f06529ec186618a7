package tensor

import (
	"errors"
	"strings"
	"testing"
)

func TestFree(t *testing.T) {
	for _, location := range []string{"cpu", "rocm"} {
		t.Run(location, func(t *testing.T) {
			dev, err := NewDevice(location)
			if err != nil {
				t.Fatal(err)
			}
			x := dev.Ones(F32, 200, 300)
			y := x.Add(1)
			view, copied := y.T(), y.Copy()
			used := dev.Memory().InUse
			y.Free()
			y.Free()
			if !y.IsFreed() || !view.IsFreed() || copied.IsFreed() || x.IsFreed() {
				t.Error("other tensors are freed than y and its view")
			}
			if after := dev.Memory().InUse; location != "cpu" && used-after < int64(y.Bytes()) {
				t.Errorf("%d bytes in use before, %d after", used, after)
			}
			for name, f := range map[string]func() *Tensor{
				"operand":  func() *Tensor { return x.Add(y) },
				"receiver": y.Exp,
				"view":     func() *Tensor { return view.Sum(0) },
				"copy":     view.Contiguous,
				"writes":   func() *Tensor { return must(y, y.zeroSet()) },
				"reshape":  func() *Tensor { return y.FlattenAll().Neg() },
				"to":       func() *Tensor { return y.To("cpu").Neg() },
				"matmul":   func() *Tensor { return x.MatMul(view) },
				"read":     func() *Tensor { ToVec1[float32](y.FlattenAll()); return y },
			} {
				_, err := Try(f)
				if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "was freed") {
					t.Errorf("%s: %v", name, err)
				}
			}
			if s := y.String(); !strings.Contains(s, "was freed") || !strings.Contains(s, "200, 300") {
				t.Errorf("shown as %q", s)
			}
			if s := y.HTML(); !strings.Contains(s, "was freed") {
				t.Errorf("shown as %q", s)
			}
			if got := ToScalar[float32](copied.Sum().Add(x.Sum())); got != 3*60000 {
				t.Errorf("what was not freed has the sum %v", got)
			}
		})
	}
}

// The next result lies where the last one was.
func TestFreeReuses(t *testing.T) {
	x := CPU().Ones(F32, 1<<18)
	y := x.Add(1)
	at := &y.Data().([]float32)[0]
	y.Free()
	if z := x.Add(2); &z.Data().([]float32)[0] != at || ToScalar[float32](z.Mean()) != 3 {
		t.Error("another block was taken")
	}
}

func TestFreeGradient(t *testing.T) {
	x := NewVar(CPU().Full(F32, 2, 3))
	y := x.Exp()
	loss := y.Sum()
	y.Free()
	if _, err := Try(func() *Tensor { return loss.Backward().Get(x) }); !errors.Is(err, ErrMemory) {
		t.Errorf("the gradient of exp needs its result: %v", err)
	}
	z := x.Mul(3)
	loss = z.Sum()
	z.Free() // its elements are not needed
	if g := loss.Backward().Get(x); ToVec1[float32](g)[2] != 3 {
		t.Errorf("gradient %v", g)
	}
}
