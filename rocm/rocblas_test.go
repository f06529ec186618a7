package rocm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/internal/dl"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// addTensileKernels makes the file by which a library in dir is known to have kernels for an architecture.
func addTensileKernels(t *testing.T, dir, library, arch string) {
	t.Helper()
	kernels := filepath.Join(dir, library, "library")
	if err := os.MkdirAll(kernels, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kernels, "TensileLibrary_lazy_"+arch+".dat"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// buildFakeROCm compiles the stand-ins for libamdhip64 and librocblas and returns the environment in which they are found. flags go to the
// C compiler for librocblas.
func buildFakeROCm(t *testing.T, flags ...string) []string {
	t.Helper()
	env := childtest.FakeHIP(t, "testdata")
	dir := strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH=")
	buildStandIn(t, dir, "librocblas.so.4", "testdata/fakerocblas.c", flags...)
	addTensileKernels(t, dir, "rocblas", "gfx1100")
	return append(env, "GOROCM_BLAS=", "GOROCM_SYNC=", "ROCBLAS_TENSILE_LIBPATH=")
}

// standIns are the libraries that buildStandIn has compiled, by their sources and flags.
var standIns = map[string][]byte{}

// buildStandIn compiles a stand-in that needs the one for libamdhip64 in the same folder.
func buildStandIn(t *testing.T, dir, file, source string, flags ...string) {
	t.Helper()
	if runtime.GOOS == "windows" && strings.Contains(source, "rccl") {
		t.Skip("RCCL is not made for Windows, and its stand-in needs mmap")
	}
	path, key := filepath.Join(dir, childtest.File(file)), fmt.Sprint(source, flags)
	if library, ok := standIns[key]; ok {
		if err := os.WriteFile(path, library, 0o700); err != nil {
			t.Fatal(err)
		}
		return
	}
	args := append([]string{"-shared", "-fPIC", "-O0", "-Wall", "-o", path, source, "-L" + dir, "-l:" + childtest.File("libamdhip64.so.6"),
		"-Wl,-rpath,$ORIGIN", "-lm"}, flags...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	library, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	standIns[key] = library
}

func TestRocBLAS(t *testing.T) {
	thorough.Slow(t)
	env := buildFakeROCm(t)
	childtest.Run(t, "TestRocBLASProducts", env...)
	childtest.Run(t, "TestRocBLASProducts", append(env, "GOROCM_TF32=1")...)
	childtest.Run(t, "TestRocBLASProducts", append(env, "GOROCM_SYNC=1")...)
	childtest.Run(t, "TestNoRocBLASChild", append(env, "GOROCM_BLAS=go", "WANT_PROBLEM=GOROCM_BLAS=go is set")...)
	childtest.Run(t, "TestNoRocBLASChild", append(env, "ROCBLAS_TENSILE_LIBPATH=/nonexistent", "WANT_PROBLEM=rocBLAS has no kernels for gfx1100\n  looked in /nonexistent")...)
	childtest.Run(t, "TestNoRocBLASChild", append(childtest.FakeHIP(t, "testdata"), "GOROCM_BLAS=", "WANT_PROBLEM=load "+childtest.File("librocblas.so")+": not found\n  tried ")...)
	childtest.Run(t, "TestNoRocBLASChild", append(buildFakeROCm(t, "-DWITHOUT_CREATE"), "WANT_PROBLEM=lacks rocblas_create_handle")...)
	childtest.Run(t, "TestNoRocBLASChild", append(buildFakeROCm(t, "-DWITHOUT_GEMM", "-DWITHOUT_BATCHED"), "WANT_PROBLEM=has no products of matrices")...)
	childtest.Run(t, "TestLackingRocBLASChild", append(buildFakeROCm(t, "-DWITHOUT_BATCHED", "-DWITHOUT_MATH", "-DWITHOUT_GEMV"), "WANT_LACKS=rocblas_gemm_strided_batched_ex")...)
	childtest.Run(t, "TestLackingRocBLASChild", append(buildFakeROCm(t, "-DWITHOUT_GEMM", "-DWITHOUT_GEMV"), "WANT_LACKS=rocblas_gemm_ex")...)
}

// standIn binds a function of a stand-in library, by its file's name.
func standIn(t *testing.T, file, name string, f any) {
	t.Helper()
	handle, err := dl.Open(filepath.Join(os.Getenv("GOROCM_LIBRARY_PATH"), childtest.File(file)))
	if err != nil {
		t.Fatal(err)
	}
	purego.RegisterLibFunc(f, handle, name)
}

// encode gives the elements of a type their bytes; the values fit all types but f8e4m3, which rounds them.
func encode(elem string, values []float64) []byte {
	var b []byte
	for _, v := range values {
		switch elem {
		case "f64":
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		case "f32":
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		case "bf16":
			b = binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(v))>>16))
		case "f16": // a whole number: 11 bits of it, behind the leading one
			sign := uint16(0)
			if v < 0 {
				sign, v = 1<<15, -v
			}
			half := uint16(0)
			if v > 0 {
				fraction, exponent := math.Frexp(v)
				half = uint16(exponent+14)<<10 | uint16(fraction*2048)&1023
			}
			b = binary.LittleEndian.AppendUint16(b, sign|half)
		case "f8e4m3":
			b = append(b, float8Bits(v))
		}
	}
	return b
}

// positive makes 0 of −0, which is as right, in elements of that many bytes.
func positive(b []byte, size int) []byte {
	for end := size; end <= len(b); end += size {
		if b[end-1] == 0x80 && bytes.Count(b[end-size:end-1], []byte{0}) == size-1 {
			b[end-1] = 0
		}
	}
	return b
}

// gemmCase is a product of small whole numbers, with matrices that lie in larger ones.
type gemmCase struct {
	m, n, k, batch   int
	left, right      bool // columns of A, of B are dense, not rows
	pad, shared, off int  // elements between rows; 1 if one B is for all; elements before the first
}

// product computes c on the device and compares with the obvious way; false when the library did not take it.
func (c gemmCase) product(t *testing.T, d *Device, elem string) bool {
	t.Helper()
	size := mathlib.ElemSize(elem)
	var err error
	matrix := func(rows, cols int, columns bool, batch int, seed int) (Matrix, []float64) {
		m := Matrix{Row: cols + c.pad, Col: 1, Offset: c.off * size}
		m.Batch = rows * m.Row
		if columns {
			m.Row, m.Col = 1, rows+c.pad
			m.Batch = cols * m.Col
		}
		values := make([]float64, c.off+m.Batch*batch)
		for i := range values {
			values[i] = float64((i*seed)%5 - 2)
		}
		if batch == 1 && c.batch > 1 {
			m.Batch = 0
		}
		if m.Buffer, err = d.Alloc(len(values) * size); err == nil {
			err = m.Buffer.Upload(0, encode(elem, values))
		}
		if err != nil {
			t.Fatal(err)
		}
		return m, values[c.off:]
	}
	batchB := c.batch
	if c.shared == 1 {
		batchB = 1
	}
	a, x := matrix(c.m, c.k, c.left, c.batch, 3)
	b, y := matrix(c.k, c.n, c.right, batchB, 7)
	r, want := matrix(c.m, c.n, false, c.batch, 1)
	defer a.Buffer.Free()
	defer b.Buffer.Free()
	defer r.Buffer.Free()
	for p := range c.batch {
		for i := range c.m {
			for j := range c.n {
				sum := 0.0
				for l := range c.k {
					sum += x[p*a.Batch+i*a.Row+l*a.Col] * y[p*b.Batch+l*b.Row+j*b.Col]
				}
				want[p*r.Batch+i*r.Row+j] = sum // what lies between the rows stays
			}
		}
	}
	done, err := d.Gemm(&Gemm{Elem: elem, M: c.m, N: c.n, K: c.k, Batch: c.batch, A: a, B: b, C: r})
	if err != nil {
		t.Fatalf("%s %+v: %v", elem, c, err)
	}
	if !done {
		return false
	}
	got := make([]byte, len(want)*size)
	if err := r.Buffer.Download(got, r.Offset); err != nil {
		t.Fatal(err)
	}
	if should := encode(elem, want); string(positive(got, size)) != string(should) {
		t.Errorf("%s %+v:\n% x, want\n% x", elem, c, got, should)
	}
	return true
}

var gemmCases = []gemmCase{
	{m: 3, n: 5, k: 4, batch: 1},
	{m: 5, n: 3, k: 7, batch: 1, left: true, pad: 2},
	{m: 4, n: 6, k: 2, batch: 1, right: true, pad: 3, off: 5},
	{m: 2, n: 3, k: 5, batch: 1, left: true, right: true},
	{m: 1, n: 1, k: 1, batch: 1},
	{m: 1, n: 7, k: 3, batch: 1, left: true},
	{m: 7, n: 1, k: 3, batch: 1, pad: 4},
	{m: 3, n: 4, k: 2, batch: 3, pad: 1},
	{m: 3, n: 4, k: 2, batch: 5, left: true, right: true, off: 3},
	{m: 2, n: 6, k: 3, batch: 4, shared: 1},
	// By one row or column.
	{m: 9, n: 1, k: 6, batch: 1, left: true, right: true, off: 2},
	{m: 1, n: 6, k: 9, batch: 1, right: true, pad: 3},
	{m: 6, n: 1, k: 1, batch: 1, pad: 2},
	{m: 5, n: 1, k: 4, batch: 3, pad: 1, shared: 1},
	{m: 1, n: 4, k: 5, batch: 6, left: true, right: true, off: 4},
}

// vectorCases are those that have one row or column.
func vectorCases() (n int32) {
	for _, c := range gemmCases {
		if c.m == 1 || c.n == 1 {
			n++
		}
	}
	return n
}

func TestRocBLASProducts(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var products, vectors func() int32
	standIn(t, "librocblas.so.4", "fakerocblas_products", &products)
	standIn(t, "librocblas.so.4", "fakerocblas_vectors", &vectors)
	if err := d.StartProfile(); err != nil {
		t.Fatal(err)
	}
	count := int32(0)
	for _, elem := range []string{"f32", "f64", "f16", "bf16"} {
		for _, c := range gemmCases {
			if !c.product(t, d, elem) {
				t.Errorf("%s %+v: the library was not used: %+v", elem, c, d.BLAS())
			}
			count++
		}
	}
	if products() != count {
		t.Errorf("the library made %d products, want %d", products(), count)
	}
	if want := 4 * vectorCases(); vectors() != want {
		t.Errorf("%d products by vectors, want %d", vectors(), want)
	}
	list, err := d.StopProfile()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list {
		names = append(names, fmt.Sprint(p.Kernel, " ", p.Launches))
	}
	if want := "rocblas_gemm_ex_f32 4"; !slices.Contains(names, want) || !slices.Contains(names, "rocblas_gemm_strided_batched_ex_bf16 3") ||
		!slices.Contains(names, "rocblas_sgemv_f32 6") || !slices.Contains(names, "rocblas_tstgemv_strided_batched_bf16 8") {
		t.Errorf("the profile has %q", names)
	}
	info := d.BLAS()
	if info.Name != "rocBLAS" || info.Version != "4.4.0.stand" || info.Problem != "" || len(info.Refused) != 0 || filepath.Base(info.Path) != childtest.File("librocblas.so.4") {
		t.Errorf("BLAS() = %+v", info)
	}
	// What a library does not take, and mistakes.
	b := alloc(t, d, 4*64)
	freed := alloc(t, d, 4*64)
	freed.Free()
	dense := func(b *Buffer) Matrix { return Matrix{Buffer: b, Row: 4, Col: 1, Batch: 16} }
	good := Gemm{Elem: "f32", M: 4, N: 4, K: 4, Batch: 4, A: dense(b), B: dense(b), C: dense(b)}
	for name, change := range map[string]func(*Gemm){
		"integers":            func(g *Gemm) { g.Elem = "i32" },
		"stretched rows":      func(g *Gemm) { g.A.Row = 0 },
		"steps in rows":       func(g *Gemm) { g.B.Col = 2 },
		"result by columns":   func(g *Gemm) { g.C.Row, g.C.Col = 1, 4 },
		"no rows":             func(g *Gemm) { g.M = 0 },
		"more than 31 bits":   func(g *Gemm) { g.N = 1 << 31 },
		"batches that recede": func(g *Gemm) { g.A.Batch = -16 },
	} {
		g := good
		change(&g)
		if done, err := d.Gemm(&g); done || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
	for name, change := range map[string]func(*Gemm){
		"freed":        func(g *Gemm) { g.B.Buffer = freed },
		"none":         func(g *Gemm) { g.A.Buffer = nil },
		"beyond":       func(g *Gemm) { g.C.Offset = 4 },
		"batch beyond": func(g *Gemm) { g.Batch = 5 },
	} {
		g := good
		change(&g)
		if done, err := d.Gemm(&g); done || err == nil || !strings.HasPrefix(err.Error(), "rocm: multiply: ") {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

func TestNoRocBLASChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if (gemmCases[0]).product(t, d, "f32") {
		t.Error("there was a product all the same")
	}
	for _, l := range Probe() {
		if none := strings.Contains(l.Version, ", not for rocm:0: rocBLAS has no kernels for gfx1100"); l.Name == "rocBLAS" && none != strings.Contains(os.Getenv("WANT_PROBLEM"), "no kernels") {
			t.Errorf("Probe() has %+v", l)
		}
	}
	if info := d.BLAS(); info.Name != "" || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("BLAS() = %+v", info)
	}
}

// TestLackingRocBLASChild has a library without one of the calls: that call's products are refused, the others computed.
func TestLackingRocBLASChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	lacks := os.Getenv("WANT_LACKS")
	for _, c := range gemmCases {
		want := (c.batch > 1) != strings.Contains(lacks, "batched")
		if got := c.product(t, d, "f32"); got != want {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
	if info := d.BLAS(); len(info.Refused) != 1 || !strings.Contains(fmt.Sprint(info.Refused), "lacks "+lacks) {
		t.Errorf("BLAS() = %+v", info)
	}
	found := false
	for _, l := range Probe() {
		found = found || l.Name == "rocBLAS" && strings.HasSuffix(l.Version, ", without "+lacks)
	}
	if !found {
		t.Errorf("Probe() = %+v", Probe())
	}
}
