package rocm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// numbersAt reads elements of f32 or f64.
func numbersAt(t *testing.T, p Place, elem string, n int) []float64 {
	t.Helper()
	b := make([]byte, n*mathlib.ElemSize(elem))
	if err := p.Buffer.Download(b, p.Offset); err != nil {
		t.Fatal(err)
	}
	list := make([]float64, n)
	for i := range list {
		if elem == "f64" {
			list[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		} else {
			list[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	}
	return list
}

// near compares what a library computed.
func near(t *testing.T, what string, got, want []float64, limit float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= limit) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}

// slopes is the gradient of the sum of weights·f(x), by what f does a little beside x.
func slopes(x, weights []float64, f func([]float64) []float64) []float64 {
	list := make([]float64, len(x))
	const h = 1e-6
	for i, v := range x {
		at := func(d float64) (sum float64) {
			x[i] = v + d
			for k, y := range f(x) {
				sum += weights[k] * y
			}
			return sum
		}
		list[i] = (at(h) - at(-h)) / (2 * h)
		x[i] = v
	}
	return list
}

// everyLayer compares the functions of elements, rows and channels with their definitions, and what they bring back with their slopes.
func everyLayer(t *testing.T, d *Device, elem string) {
	t.Helper()
	const images, channels, h, w = 3, 2, 2, 2
	const n = images * channels * h * w
	x, dy := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], dy[i] = float64(i*7%11)/4-1.1, float64(i*5%7)/2-1
	}
	place := func(values []float64) Place { return put(t, d, elem, values, 1) }
	zeros := make([]float64, n)
	taken := func(what string, done bool, err error) {
		t.Helper()
		if err != nil || !done {
			t.Fatalf("%s %s: %v, %v, %+v", elem, what, done, err, d.DNN())
		}
	}

	each := map[string]func(x float64) float64{
		"sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
		"tanh":    math.Tanh,
		"relu":    func(x float64) float64 { return max(x, 0) },
		"elu": func(x float64) float64 {
			if x > 0 {
				return x
			}
			return 0.7 * math.Expm1(x)
		},
	}
	for name, f := range each {
		all := func(x []float64) []float64 {
			y := make([]float64, len(x))
			for i, v := range x {
				y[i] = f(v)
			}
			return y
		}
		a := Activation{Elem: elem, N: n, Function: name, Coefficient: 0.7, X: place(x), Y: place(zeros), DX: place(zeros), DY: place(dy)}
		done, err := d.Activate(&a)
		taken(name, done, err)
		near(t, name, numbersAt(t, a.Y, elem, n), all(x), 1e-6)
		a.Backward = true
		done, err = d.Activate(&a)
		taken(name, done, err)
		near(t, name+" backward", numbersAt(t, a.DX, elem, n), slopes(x, dy, all), 1e-4)
	}
	if done, err := d.Activate(&Activation{Elem: elem, N: n, Function: "gelu", X: place(x), Y: place(x)}); done || err != nil {
		t.Errorf("gelu: %v, %v", done, err)
	}
	if _, err := d.Activate(&Activation{Elem: elem, N: n + 2, Function: "relu", X: place(x), Y: place(x)}); !errors.Is(err, ErrInvalid) {
		t.Errorf("beyond the buffer: %v", err)
	}

	for _, log := range []bool{false, true} {
		const cols = 6
		all := func(x []float64) []float64 {
			y := make([]float64, len(x))
			for r := 0; r < len(x); r += cols {
				sum := 0.0
				for _, v := range x[r : r+cols] {
					sum += math.Exp(v)
				}
				for c, v := range x[r : r+cols] {
					if y[r+c] = v - math.Log(sum); !log {
						y[r+c] = math.Exp(y[r+c])
					}
				}
			}
			return y
		}
		s := Softmax{Elem: elem, Rows: n / cols, Cols: cols, Log: log, X: place(x), Y: place(zeros), DX: place(zeros), DY: place(dy)}
		done, err := d.Softmax(&s)
		taken("softmax", done, err)
		near(t, "softmax", numbersAt(t, s.Y, elem, n), all(x), 1e-6)
		s.Backward = true
		done, err = d.Softmax(&s)
		taken("softmax", done, err)
		near(t, fmt.Sprint("softmax backward, log ", log), numbersAt(t, s.DX, elem, n), slopes(x, dy, all), 1e-4)
	}

	scale, bias, mean, variance := []float64{1.5, -0.5}, []float64{0.25, 2}, []float64{0.5, -1}, []float64{2, 0.75}
	const eps, momentum, per = 1e-3, 0.1, images * h * w
	normed := func(x []float64, moments func(c int) (m, v float64)) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			c := i / (h * w) % channels
			m, s := moments(c)
			y[i] = (v-m)/math.Sqrt(s+eps)*scale[c] + bias[c]
		}
		return y
	}
	own := func(x []float64) func(c int) (m, v float64) {
		return func(c int) (m, v float64) {
			for i, e := range x {
				if i/(h*w)%channels == c {
					m += e / per
				}
			}
			for i, e := range x {
				if i/(h*w)%channels == c {
					v += (e - m) * (e - m) / per
				}
			}
			return m, v
		}
	}
	b := BatchNorm{Elem: elem, Images: images, Channels: channels, H: h, W: w, Eps: eps, Momentum: momentum, X: place(x), Y: place(zeros), DX: place(zeros), DY: place(dy),
		Scale: place(scale), Bias: place(bias), Mean: place(mean), Variance: place(variance),
		DScale: place(zeros[:channels]), DBias: place(zeros[:channels]), SavedMean: place(zeros[:channels]), SavedInverse: place(zeros[:channels])}
	done, err := d.BatchNorm(&b)
	taken("batch norm", done, err)
	near(t, "batch norm", numbersAt(t, b.Y, elem, n), normed(x, func(c int) (m, v float64) { return mean[c], variance[c] }), 1e-5)
	b.Train = true
	done, err = d.BatchNorm(&b)
	taken("batch norm, training", done, err)
	near(t, "batch norm, training", numbersAt(t, b.Y, elem, n), normed(x, own(x)), 1e-5)
	running := make([]float64, channels)
	for c := range running {
		_, v := own(x)(c)
		running[c] = (1-momentum)*variance[c] + momentum*v*per/(per-1)
	}
	near(t, "running variance", numbersAt(t, b.Variance, elem, channels), running, 1e-5)
	b.Train, b.Backward = false, true
	done, err = d.BatchNorm(&b)
	taken("batch norm, backward", done, err)
	near(t, "batch norm, backward", numbersAt(t, b.DX, elem, n), slopes(x, dy, func(x []float64) []float64 { return normed(x, own(x)) }), 1e-4)
	near(t, "gradient of the scale", numbersAt(t, b.DScale, elem, channels), slopes(scale, dy, func([]float64) []float64 { return normed(x, own(x)) }), 1e-4)
	near(t, "gradient of the bias", numbersAt(t, b.DBias, elem, channels), slopes(bias, dy, func([]float64) []float64 { return normed(x, own(x)) }), 1e-4)
}
