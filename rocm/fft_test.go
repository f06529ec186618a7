package rocm

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

func buildFakeHipFFT(t *testing.T, flags ...string) []string {
	t.Helper()
	env := childtest.FakeHIP(t, "testdata")
	buildStandIn(t, strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH="), "libhipfft.so.0", "testdata/fakehipfft.c", flags...)
	return append(env, "GOROCM_FFT=", "GOROCM_SYNC=")
}

func TestHipFFT(t *testing.T) {
	thorough.Slow(t)
	env := buildFakeHipFFT(t)
	childtest.Run(t, "TestHipFFTChild", env...)
	childtest.Run(t, "TestHipFFTChild", append(env, "GOROCM_SYNC=1")...)
	childtest.Run(t, "TestNoHipFFTChild", append(env, "GOROCM_FFT=go", "WANT_PROBLEM=GOROCM_FFT=go is set")...)
	childtest.Run(t, "TestNoHipFFTChild", append(childtest.FakeHIP(t, "testdata"), "GOROCM_FFT=", "WANT_PROBLEM=load "+childtest.File("libhipfft.so")+": not found")...)
	childtest.Run(t, "TestNoHipFFTChild", append(buildFakeHipFFT(t, "-DWITHOUT_MANY"), "WANT_PROBLEM=lacks hipfftMakePlanMany")...)
}

// TestCUDATransforms is TestHipFFTChild with cuFFT.
func TestCUDATransforms(t *testing.T) {
	d := cudaDevice(t)
	if info := FFTLibrary(d); info.Name == "" {
		t.Skipf("no cuFFT: %s", info.Problem)
	}
	everyTransform(t, d)
}

func TestNoHipFFTChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if info := FFTLibrary(d); HasFFT(d) || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("%v, %+v", HasFFT(d), info)
	}
	b := alloc(t, d, 1<<10)
	if done, err := Transform(d, &FFT{Elem: "f32", Sizes: []int{4}, Batch: 1, Stride: 1, In: Place{b, 0}, Out: Place{b, 512}}); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
}

func TestHipFFTChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	everyTransform(t, d)
	if info := FFTLibrary(d); info.Name != "hipFFT" || info.Version != "1.2.3" || len(info.Refused) != 0 {
		t.Errorf("FFTLibrary() = %+v", info)
	}
	const file = "libhipfft.so.0"
	var inject func(name string, code, times int32)
	var live, done func() int32
	standIn(t, file, "fakefft_inject", &inject)
	standIn(t, file, "fakefft_live", &live)
	standIn(t, file, "fakefft_done", &done)
	in, out := alloc(t, d, 1<<12), alloc(t, d, 1<<12)
	f := &FFT{Elem: "f32", Sizes: []int{8}, Batch: 3, Stride: 1, InDist: 8, OutDist: 8, In: Place{in, 0}, Out: Place{out, 0}}
	run := func() bool {
		t.Helper()
		ok, err := Transform(d, f)
		if err != nil {
			t.Error(err)
		}
		return ok
	}
	before := live()
	for range 3 {
		if !run() {
			t.Error("the library was not used")
		}
	}
	if live() != before+1 {
		t.Errorf("%d plans, want one more than %d", live(), before)
	}
	for _, call := range []string{"hipfftCreate", "hipfftSetAutoAllocation", "hipfftMakePlanMany", "hipfftExecC2C"} {
		d.fft.Forget(libraryHost{d})
		inject(call, 5, 1)
		if run() {
			t.Errorf("%s failed, but the transform was done", call)
		}
		if info := FFTLibrary(d); !strings.Contains(fmt.Sprint(info.Refused), "HIPFFT_INTERNAL_ERROR") {
			t.Errorf("%s: Refused is %v", call, info.Refused)
		}
		if run() {
			t.Errorf("after %s failed, the shape was tried again", call)
		}
		if live() != 0 {
			t.Errorf("%s: %d plans are left", call, live())
		}
	}
	d.fft.Forget(libraryHost{d})
	inject("hipfftMakePlanMany", 2, 1) // memory is short: unused memory is returned, and the call made again
	if !run() {
		t.Error("a lack of memory was not overcome")
	}
	mistakes := []FFT{
		{Elem: "f32", Sizes: []int{8}, Batch: 3, Stride: 1, InDist: 8, OutDist: 8, In: Place{nil, 0}, Out: Place{out, 0}},
		{Elem: "f32", Sizes: []int{8}, Batch: 65, Stride: 1, InDist: 8, OutDist: 8, In: Place{in, 0}, Out: Place{out, 0}},
		{Elem: "f64", Kind: FFTForward, Sizes: []int{8}, Batch: 52, Stride: 1, InDist: 8, OutDist: 5, In: Place{in, 0}, Out: Place{out, 0}},
	}
	for i := range mistakes {
		if done, err := Transform(d, &mistakes[i]); done || !errors.Is(err, ErrInvalid) {
			t.Errorf("mistake %d: %v, %v", i, done, err)
		}
	}
	for _, f := range []FFT{
		{Elem: "f16", Sizes: []int{8}, Batch: 1, Stride: 1, In: Place{in, 0}, Out: Place{out, 0}},
		{Elem: "f32", Sizes: []int{2, 2, 2, 2}, Batch: 1, Stride: 1, In: Place{in, 0}, Out: Place{out, 0}},
	} {
		if done, err := Transform(d, &f); done || err != nil {
			t.Errorf("%+v: %v, %v", f, done, err)
		}
	}
	// a capture records a transform whose plan exists, and no others
	recorded, fresh := false, true
	graph, err := d.Capture(func() {
		recorded = run()
		other := *f
		other.Batch = 2
		fresh, _ = Transform(d, &other)
	})
	if err != nil || !recorded || fresh {
		t.Errorf("in a capture: %v, a known shape %v, a new one %v", err, recorded, fresh)
	}
	_ = graph
}

// everyTransform compares transforms of every kind with their definition.
func everyTransform(t *testing.T, d *Device) {
	t.Helper()
	for _, elem := range []string{"f32", "f64"} {
		for _, sizes := range [][]int{{8}, {7}, {3, 4}, {2, 3, 6}, {5, 5}} {
			n := product(sizes)
			half := n / sizes[len(sizes)-1] * (sizes[len(sizes)-1]/2 + 1)
			const batch = 2
			x := make([]complex128, n*batch)
			for i := range x {
				x[i] = complex(math.Sin(float64(3*i+1)), math.Cos(float64(5*i)))
			}
			for _, inverse := range []bool{false, true} {
				f := FFT{Elem: elem, Inverse: inverse, Sizes: sizes, Batch: batch, Stride: 1, InDist: n, OutDist: n}
				sign := -1.0
				if inverse {
					sign = 1
				}
				got := transformed(t, d, &f, x, n*batch, true, true)
				nearly(t, fmt.Sprintf("%s %v inverse %v", elem, sizes, inverse), elem, got, definition(x, sizes, batch, sign))
			}
			real := make([]complex128, n*batch)
			for i := range real {
				real[i] = complex(imag(x[i]), 0)
			}
			whole := definition(real, sizes, batch, -1)
			var first []complex128
			last := sizes[len(sizes)-1]
			for i, v := range whole {
				if i%last <= last/2 {
					first = append(first, v)
				}
			}
			f := FFT{Elem: elem, Kind: FFTForward, Sizes: sizes, Batch: batch, Stride: 1, InDist: n, OutDist: half}
			nearly(t, fmt.Sprintf("%s %v of real numbers", elem, sizes), elem, transformed(t, d, &f, real, half*batch, false, true), first)
			f = FFT{Elem: elem, Kind: FFTBackward, Sizes: sizes, Batch: batch, Stride: 1, InDist: half, OutDist: n}
			for i := range real {
				real[i] *= complex(float64(n), 0)
			}
			nearly(t, fmt.Sprintf("%s %v to real numbers", elem, sizes), elem, transformed(t, d, &f, first, n*batch, true, false), real)
		}
		// the columns of a matrix
		x := make([]complex128, 5*3)
		for i := range x {
			x[i] = complex(float64(i), float64(i*i%7))
		}
		f := FFT{Elem: elem, Sizes: []int{5}, Batch: 3, Stride: 3, InDist: 1, OutDist: 1}
		got := transformed(t, d, &f, x, 15, true, true)
		want := make([]complex128, 15)
		for c := range 3 {
			column := []complex128{x[c], x[3+c], x[6+c], x[9+c], x[12+c]}
			for k, v := range definition(column, []int{5}, 1, -1) {
				want[3*k+c] = v
			}
		}
		nearly(t, elem+" columns", elem, got, want)
	}
}

func product(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// definition transforms all dims of a batch.
func definition(x []complex128, sizes []int, batch int, sign float64) []complex128 {
	inner := 1
	for d := len(sizes) - 1; d >= 0; d-- {
		n, y := sizes[d], make([]complex128, len(x))
		for o := 0; o < len(x); o += n * inner {
			for i := range inner {
				for k := range n {
					for j := range n {
						y[o+k*inner+i] += x[o+j*inner+i] * cmplx.Exp(complex(0, sign*2*math.Pi*float64(j*k%n)/float64(n)))
					}
				}
			}
		}
		x = y
		inner *= n
	}
	return x
}

// transformed runs f on numbers, or on their real parts, with a few bytes before both operands.
func transformed(t *testing.T, d *Device, f *FFT, x []complex128, count int, complexIn, complexOut bool) []complex128 {
	t.Helper()
	encodeParts := func(x []complex128, both bool) (list []byte) {
		for _, v := range x {
			list = append(list, encode(f.Elem, []float64{real(v)})...)
			if both {
				list = append(list, encode(f.Elem, []float64{imag(v)})...)
			}
		}
		return list
	}
	const before = 256
	raw := encodeParts(x, complexIn)
	size := mathlib.ElemSize(f.Elem)
	outBytes := count * size
	if complexOut {
		outBytes *= 2
	}
	in, out := alloc(t, d, before+len(raw)), alloc(t, d, before+outBytes)
	if err := in.Upload(before, raw); err != nil {
		t.Fatal(err)
	}
	f.In, f.Out = Place{in, before}, Place{out, before}
	if done, err := Transform(d, f); !done || err != nil {
		t.Fatalf("%+v: %v, %v: %+v", f, done, err, FFTLibrary(d))
	}
	back := make([]byte, outBytes)
	if err := out.Download(back, before); err != nil {
		t.Fatal(err)
	}
	numbers := make([]float64, outBytes/size)
	for i := range numbers {
		p := unsafe.Pointer(&back[i*size])
		if size == 8 {
			numbers[i] = *(*float64)(p)
		} else {
			numbers[i] = float64(*(*float32)(p))
		}
	}
	list := make([]complex128, count)
	for i := range list {
		if complexOut {
			list[i] = complex(numbers[2*i], numbers[2*i+1])
		} else {
			list[i] = complex(numbers[i], 0)
		}
	}
	return list
}

func nearly(t *testing.T, what, elem string, got, want []complex128) {
	t.Helper()
	most := map[string]float64{"f32": 1e-5, "f64": 1e-13}[elem]
	for i, w := range want {
		if d := cmplx.Abs(got[i] - w); !(d <= most*(1+cmplx.Abs(w))*float64(len(want))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], w)
		}
	}
}
