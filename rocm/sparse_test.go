package rocm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

const sparseFile = "libhipsparse.so.1"

func buildFakeHipSPARSE(t *testing.T, flags ...string) []string {
	t.Helper()
	env := childtest.FakeHIP(t, "testdata")
	dir := strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH=")
	buildStandIn(t, dir, sparseFile, "testdata/fakehipsparse.c", flags...)
	return append(env, "GOROCM_SPARSE=", "GOROCM_SYNC=")
}

func TestHipSPARSE(t *testing.T) {
	thorough.Slow(t)
	env := buildFakeHipSPARSE(t)
	childtest.Run(t, "TestHipSPARSEChild", env...)
	childtest.Run(t, "TestNoHipSPARSEChild", append(env, "GOROCM_SPARSE=go", "WANT_PROBLEM=GOROCM_SPARSE=go is set")...)
	childtest.Run(t, "TestNoHipSPARSEChild", append(childtest.FakeHIP(t, "testdata"), "GOROCM_SPARSE=",
		"WANT_PROBLEM=load "+childtest.File("libhipsparse.so")+": not found")...)
	childtest.Run(t, "TestNoHipSPARSEChild", append(buildFakeHipSPARSE(t, "-DWITHOUT_SPMM"),
		"WANT_PROBLEM=lacks hipsparseSpMM")...)
}

// TestCUDASparse is TestHipSPARSEChild with cuSPARSE.
func TestCUDASparse(t *testing.T) {
	d := cudaDevice(t)
	if info := SparseLibrary(d); info.Name == "" {
		t.Skipf("no cuSPARSE: %s", info.Problem)
	}
	everySparseProduct(t, d)
}

func TestNoHipSPARSEChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if info := SparseLibrary(d); HasSparse(d) || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("%v, %+v", HasSparse(d), info)
	}
	if done, err := MultiplySparse(d, sparseOperands(t, d, "f32", 3)); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
}

func TestHipSPARSEChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	everySparseProduct(t, d)
	if info := SparseLibrary(d); info.Name != "hipSPARSE" || len(info.Refused) != 0 {
		t.Errorf("SparseLibrary() = %+v", info)
	}
	var inject func(name string, code, times int32)
	var live, done func() int32
	standIn(t, sparseFile, "fakesparse_inject", &inject)
	standIn(t, sparseFile, "fakesparse_live", &live)
	standIn(t, sparseFile, "fakesparse_done", &done)
	if live() != 0 || done() != 8 {
		t.Errorf("%d descriptors are left after %d products, want none after 8", live(), done())
	}
	p := sparseOperands(t, d, "f64", 2)
	inject("hipsparseSpMM_bufferSize", 2, 1) // memory is short: unused memory is returned, and the call made again
	if ok, err := MultiplySparse(d, p); !ok || err != nil {
		t.Errorf("a lack of memory was not overcome: %v", err)
	}
	graph, err := d.Capture(func() {
		if ok, err := MultiplySparse(d, p); ok || err != nil {
			t.Errorf("in a capture: %v, %v", ok, err)
		}
	})
	_, _ = graph, err // of nothing
	for _, mistake := range []func(p *SparseProduct){
		func(p *SparseProduct) { p.X.Buffer = nil }, func(p *SparseProduct) { p.Rows = 1000 },
		func(p *SparseProduct) { p.Out.Offset += 1 << 12 },
	} {
		wrong := *p
		mistake(&wrong)
		if ok, err := MultiplySparse(d, &wrong); ok || !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v, %v", wrong, ok, err)
		}
	}
	for i, call := range []string{"hipsparseCreateCsr", "hipsparseSpMV_bufferSize", "hipsparseSpMV", "hipsparseCreateDnVec"} {
		elem := []string{"f32", "f64", "c64", "c128"}[i] // a kind of work is refused once
		inject(call, 7, 1)
		for range 2 {
			if ok, err := MultiplySparse(d, sparseOperands(t, d, elem, 1)); ok || err != nil {
				t.Errorf("%s failed, but the product was done: %v, %v", call, ok, err)
			}
		}
		text := fmt.Sprint(SparseLibrary(d).Refused)
		if !strings.Contains(text, call+": HIPSPARSE_STATUS_INTERNAL_ERROR") {
			t.Errorf("Refused is %s", text)
		}
		if live() != 0 {
			t.Errorf("%s: %d descriptors are left", call, live())
		}
	}
}

// The matrix of the tests, [4 5] with an empty row.
var (
	sparseOffsets = []int32{0, 2, 2, 5, 6}
	sparseCols    = []uint32{1, 4, 0, 2, 3, 4}
)

// sparseValue is number i of an operand.
func sparseValue(elem string, i int) complex128 {
	v := complex(float64(i%7)-2.5, float64(i%3)-0.75)
	if elem[0] == 'f' {
		return complex(real(v), 0)
	}
	return v
}

// encoded are numbers as bytes.
func encoded(elem string, list []complex128) (raw []byte) {
	for _, v := range list {
		parts := []float64{real(v), imag(v)}
		if elem[0] == 'f' {
			parts = parts[:1]
		}
		for _, p := range parts {
			if elem == "f32" || elem == "c64" {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(p)))
			} else {
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(p))
			}
		}
	}
	return raw
}

func sparseNumbers(elem string, from, n int) []complex128 {
	list := make([]complex128, n)
	for i := range list {
		list[i] = sparseValue(elem, from+i)
	}
	return list
}

// sparseOperands are in memory of their own, a few bytes from its beginning.
func sparseOperands(t *testing.T, d *Device, elem string, n int) *SparseProduct {
	t.Helper()
	const before = 256
	put := func(raw []byte) Span {
		b := alloc(t, d, before+len(raw))
		if err := b.Upload(before, raw); err != nil {
			t.Fatal(err)
		}
		return Span{b, before}
	}
	bytesOf := func(x any) []byte {
		raw, err := binary.Append(nil, binary.LittleEndian, x)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	return &SparseProduct{Elem: elem, Rows: 4, Cols: 5, Count: 6, N: n, Offsets: put(bytesOf(sparseOffsets)),
		ColIDs: put(bytesOf(sparseCols)), Values: put(encoded(elem, sparseNumbers(elem, 0, 6))),
		X: put(encoded(elem, sparseNumbers(elem, 10, 5*n))), Out: put(make([]byte, len(encoded(elem, sparseNumbers(elem, 0, 4*n)))))}
}

// everySparseProduct compares products of every type with their definition.
func everySparseProduct(t *testing.T, d *Device) {
	t.Helper()
	for _, elem := range []string{"f32", "f64", "c64", "c128"} {
		for _, n := range []int{1, 3} {
			p := sparseOperands(t, d, elem, n)
			if done, err := MultiplySparse(d, p); !done || err != nil {
				t.Errorf("%s × %d: %v, %v: %+v", elem, n, done, err, SparseLibrary(d))
				continue
			}
			values, x, want := sparseNumbers(elem, 0, 6), sparseNumbers(elem, 10, 5*n), make([]complex128, 4*n)
			for row := range 4 {
				for k := sparseOffsets[row]; k < sparseOffsets[row+1]; k++ {
					for j := range n {
						want[row*n+j] += values[k] * x[int(sparseCols[k])*n+j]
					}
				}
			}
			raw := make([]byte, len(encoded(elem, want)))
			if err := p.Out.Buffer.Download(raw, p.Out.Offset); err != nil {
				t.Fatal(err)
			}
			for i, got := range decoded(elem, raw) {
				if cmplx.Abs(got-want[i]) > 1e-5 {
					t.Errorf("%s × %d: number %d is %v, want %v", elem, n, i, got, want[i])
				}
			}
		}
	}
}

func decoded(elem string, raw []byte) (list []complex128) {
	var parts []float64
	for len(raw) > 0 {
		if elem == "f32" || elem == "c64" {
			parts, raw = append(parts, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))), raw[4:]
		} else {
			parts, raw = append(parts, math.Float64frombits(binary.LittleEndian.Uint64(raw))), raw[8:]
		}
	}
	for i := 0; i < len(parts); i++ {
		if elem[0] == 'f' {
			list = append(list, complex(parts[i], 0))
		} else {
			list = append(list, complex(parts[i], parts[i+1]))
			i++
		}
	}
	return list
}
