package rocm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// float8Bits rounds to the nearest f8e4m3, the even one of two, and to ±448 what is beyond.
func float8Bits(v float64) byte {
	value := func(b byte) float64 {
		if b < 8 {
			return math.Ldexp(float64(b), -9)
		}
		return math.Ldexp(float64(8+b&7), int(b>>3)-10)
	}
	best := byte(0)
	for b := byte(1); b < 0x7f; b++ {
		off, least := math.Abs(value(b)-math.Abs(v)), math.Abs(value(best)-math.Abs(v))
		if off < least || off == least && b%2 == 0 {
			best = b
		}
	}
	if math.Signbit(v) {
		best |= 0x80
	}
	return best
}

// float8Cases are forms that the libraries take: rows of the left matrix are dense, and columns of the right one.
var float8Cases = []gemmCase{
	{m: 16, n: 16, k: 16, batch: 1, right: true},
	{m: 5, n: 32, k: 48, batch: 1, right: true, pad: 16, off: 32},
	{m: 1, n: 16, k: 64, batch: 1, right: true},
	{m: 33, n: 48, k: 160, batch: 1, right: true, off: 16}, // sums are rounded
	{m: 3, n: 16, k: 32, batch: 3, right: true, pad: 16},
	{m: 7, n: 16, k: 16, batch: 4, right: true, shared: 1},
}

// notFloat8Cases are those that they do not take.
var notFloat8Cases = []gemmCase{
	{m: 16, n: 16, k: 24, batch: 1, right: true},
	{m: 16, n: 24, k: 16, batch: 1, right: true},
	{m: 16, n: 16, k: 16, batch: 1},
	{m: 16, n: 16, k: 16, batch: 1, left: true, right: true},
	{m: 16, n: 16, k: 16, batch: 1, right: true, pad: 8},
	{m: 16, n: 16, k: 16, batch: 1, right: true, off: 8},
}

// buildFakeHipBLASLt compiles the stand-ins for a GPU with f8e4m3.
func buildFakeHipBLASLt(t *testing.T, flags ...string) []string {
	t.Helper()
	env := childtest.FakeHIP(t, "testdata")
	dir := strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH=")
	buildStandIn(t, dir, "libhipblaslt.so.0", "testdata/fakehipblaslt.c", flags...)
	addTensileKernels(t, dir, "hipblaslt", "gfx1201")
	return append(env, "GOROCM_BLAS=", "GOROCM_SYNC=", "HIPBLASLT_TENSILE_LIBPATH=", "FAKEHIP_ARCH=gfx1201")
}

// buildFakeCuBLASLt compiles the stand-in for cuBLASLt. Its driver is one in Go.
func buildFakeCuBLASLt(t *testing.T, flags ...string) []string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	args := append([]string{"-shared", "-fPIC", "-O0", "-Wall", "-o", filepath.Join(dir, childtest.File("libcublasLt.so.13")), "testdata/fakecublaslt.c", "-lm"}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return []string{"GOROCM_LIBRARY_PATH=" + dir, "GOROCM_BLAS=", "GOROCM_SYNC="}
}

func TestHipBLASLt(t *testing.T) {
	thorough.Slow(t)
	env := buildFakeHipBLASLt(t)
	childtest.Run(t, "TestHipBLASLtChild", env...)
	childtest.Run(t, "TestHipBLASLtChild", append(env, "GOROCM_SYNC=1")...)
	childtest.Run(t, "TestHipBLASLtCaptureChild", env...)
	childtest.Run(t, "TestNoHipBLASLtChild", append(env, "GOROCM_BLAS=go", "WANT_PROBLEM=GOROCM_BLAS=go is set")...)
	childtest.Run(t, "TestNoHipBLASLtChild", append(env, "FAKEHIP_ARCH=gfx942:sramecc+", "WANT_PROBLEM=the matrix cores of gfx942 have no f8e4m3")...)
	childtest.Run(t, "TestNoHipBLASLtChild", append(env, "FAKEHIP_ARCH=gfx950", "WANT_PROBLEM=hipBLASLt has no kernels for gfx950\n  looked in "+strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH="))...)
	childtest.Run(t, "TestNoHipBLASLtChild", append(childtest.FakeHIP(t, "testdata"), "GOROCM_BLAS=", "WANT_PROBLEM=load "+childtest.File("libhipblaslt.so")+": not found")...)
	childtest.Run(t, "TestNoHipBLASLtChild", append(buildFakeHipBLASLt(t, "-DWITHOUT_HEURISTIC"), "WANT_PROBLEM=lacks hipblasLtMatmulAlgoGetHeuristic")...)
}

func TestHipBLASLtChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	everyFloat8(t, d, "libhipblaslt.so.0")
	if info := d.BLASLt(); info.Name != "hipBLASLt" || info.Version != "1.2.3" || len(info.Refused) != 0 {
		t.Errorf("BLASLt() = %+v", info)
	}
	float8Mistakes(t, d)
	captureFloat8(t, d)
	noWay(t, d)
}

// TestHipBLASLtCaptureChild captures a product before the library was used: that is for other kernels, and opens nothing.
// transposed is the matrix with rows for columns.
func transposed(m Matrix) Matrix {
	m.Row, m.Col = m.Col, m.Row
	return m
}

func TestHipBLASLtCaptureChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 1<<12)
	rows := Matrix{Buffer: b, Row: 16, Col: 1}
	product := Gemm{Elem: "f8e4m3", M: 16, N: 16, K: 16, Batch: 1, A: rows, B: transposed(rows), C: rows}
	var done bool
	_, err = d.Capture(func() {
		if done, err = d.Gemm(&product); err != nil {
			t.Error(err)
		}
	})
	if done || err != nil || d.blasLt.Ready() {
		t.Errorf("in the capture: %v, %v, opened %v", done, err, d.blasLt.Ready())
	}
	if done, err := d.Gemm(&product); !done || err != nil {
		t.Errorf("after it: %v, %v", done, err)
	}
}

func TestCuBLASLt(t *testing.T) {
	thorough.Slow(t)
	env := buildFakeCuBLASLt(t)
	childtest.Run(t, "TestCuBLASLtChild", env...)
	childtest.Run(t, "TestNoCuBLASLtChild", append(env, "WANT_PROBLEM=the matrix cores of sm_86 have no f8e4m3")...)
	childtest.Run(t, "TestNoCuBLASLtChild", append(buildFakeCuBLASLt(t, "-DWITHOUT_CREATE"), "WANT_PROBLEM=lacks cublasLtCreate")...)
}

// cudaFake is a device of a driver in Go, whose memory libraries in C can use.
func cudaFake(t *testing.T, arch string) *Device {
	t.Helper()
	f := newFake(1 << 28)
	f.real, f.platform = true, CUDA
	d, err := newDevice(f.driver(), Info{Arch: arch, Platform: CUDA, TotalMemory: 1 << 28})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCuBLASLtChild(t *testing.T) {
	childtest.Only(t)
	d := cudaFake(t, "sm_90")
	everyFloat8(t, d, "libcublasLt.so.13")
	if info := d.BLASLt(); info.Name != "cuBLASLt" || info.Version != "13.12.11" || len(info.Refused) != 0 {
		t.Errorf("BLASLt() = %+v", info)
	}
	noWay(t, d)
}

func TestNoCuBLASLtChild(t *testing.T) {
	childtest.Only(t)
	d := cudaFake(t, "sm_86")
	if (float8Cases[0]).product(t, d, "f8e4m3") {
		t.Error("there was a product all the same")
	}
	if info := d.BLASLt(); info.Name != "" || !strings.Contains(info.Problem, os.Getenv("WANT_PROBLEM")) {
		t.Errorf("BLASLt() = %+v", info)
	}
}

// everyFloat8 multiplies through a stand-in in every form that goes to it, twice: the second time by the plans of the first.
func everyFloat8(t *testing.T, d *Device, file string) {
	t.Helper()
	var products, live func() int32
	standIn(t, file, "fakelt_products", &products)
	standIn(t, file, "fakelt_live", &live)
	objects := int32(0)
	for round := range int32(2) {
		for _, c := range float8Cases {
			if !c.product(t, d, "f8e4m3") {
				t.Errorf("%+v: the library was not used: %+v", c, d.BLASLt())
			}
		}
		if want := (round + 1) * int32(len(float8Cases)); products() != want {
			t.Errorf("the library made %d products, want %d", products(), want)
		}
		if round == 0 {
			objects = live()
		}
	}
	if plans := 1 + 6*int32(len(float8Cases)); objects != plans || live() != objects {
		t.Errorf("%d handles and descriptors, then %d, want %d", objects, live(), plans)
	}
	for _, c := range notFloat8Cases {
		if c.product(t, d, "f8e4m3") {
			t.Errorf("%+v: the library was used", c)
		}
	}
	if used := d.Memory().InUse; used != 0 {
		t.Errorf("%d bytes are in use", used)
	}
}

// noWay asks for a product that the library has no way for: that shape goes to other kernels, and only that one.
func noWay(t *testing.T, d *Device) {
	t.Helper()
	c := float8Cases[0]
	c.m = 77
	for range 2 {
		if c.product(t, d, "f8e4m3") {
			t.Error("the library was used for what it has no way for")
		}
	}
	if c.m = 78; !c.product(t, d, "f8e4m3") {
		t.Error("the way that takes no more memory than there is was not used")
	}
	if said := d.BLASLt().Refused["f8e4m3"]; !strings.Contains(said, "no way to compute a product of 77×16 by 16×16 among the 0 of the library") {
		t.Errorf("the library says %q", said)
	}
	if !float8Cases[0].product(t, d, "f8e4m3") {
		t.Error("the library was not used for other shapes")
	}
}

func float8Mistakes(t *testing.T, d *Device) {
	t.Helper()
	b, freed := alloc(t, d, 256), alloc(t, d, 256)
	freed.Free()
	rows := func(b *Buffer) Matrix { return Matrix{Buffer: b, Row: 16, Col: 1} }
	good := Gemm{Elem: "f8e4m3", M: 16, N: 16, K: 16, Batch: 1, A: rows(b), B: transposed(rows(b)), C: rows(b)}
	for name, change := range map[string]func(*Gemm){
		"freed":  func(g *Gemm) { g.B.Buffer = freed },
		"none":   func(g *Gemm) { g.A.Buffer = nil },
		"beyond": func(g *Gemm) { g.C.Offset = 16 },
	} {
		g := good
		change(&g)
		if done, err := d.Gemm(&g); done || !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), "rocm: multiply: ") {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

// captureFloat8 captures a product whose plan is there, and one whose plan is not.
func captureFloat8(t *testing.T, d *Device) {
	t.Helper()
	b := alloc(t, d, 1<<12)
	rows := Matrix{Buffer: b, Row: 16, Col: 1}
	known := Gemm{Elem: "f8e4m3", M: 16, N: 16, K: 16, Batch: 1, A: rows, B: transposed(rows), C: rows}
	unknown := known
	unknown.M = 19
	var done, other bool
	var err, otherErr error
	g, captureErr := d.Capture(func() {
		done, err = d.Gemm(&known)
		other, otherErr = d.Gemm(&unknown)
	})
	if err := errors.Join(captureErr, err, otherErr); err != nil {
		t.Fatal(err)
	}
	if !done || other || g.Launches() != 1 || !slices.ContainsFunc(g.outside, func(u usedMemory) bool { return u.memory == b }) {
		t.Errorf("captured %v and %v, %d kernels, memory %v", done, other, g.Launches(), g.outside)
	}
	b.Free()
	if done, err := d.Gemm(&unknown); done || err == nil { // freed: not refused for good
		t.Errorf("after the capture: %v, %v", done, err)
	}
}

func TestNoHipBLASLtChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if (float8Cases[0]).product(t, d, "f8e4m3") {
		t.Error("there was a product all the same")
	}
	want := os.Getenv("WANT_PROBLEM")
	if info := d.BLASLt(); info.Name != "" || !strings.Contains(info.Problem, want) {
		t.Errorf("BLASLt() = %+v", info)
	}
	for _, l := range Probe() {
		if strings.Contains(want, "gfx9") && l.Name == "hipBLASLt" && !strings.Contains(l.Version, "not for rocm:0: "+strings.Split(want, "\n")[0]) {
			t.Errorf("Probe() has %+v", l)
		}
	}
}

func TestBLASLtFaults(t *testing.T) {
	thorough.Slow(t)
	childtest.Run(t, "TestBLASLtFaultsChild", append(buildFakeHipBLASLt(t), "WANT_PREFIX=hipblasLt")...)
	childtest.Run(t, "TestBLASLtFaultsChild", append(buildFakeCuBLASLt(t), "WANT_PREFIX=cublasLt")...)
}

// TestBLASLtFaultsChild makes every call fail in turn: work goes on without the library, BLASLt says why, and nothing is left behind.
func TestBLASLtFaultsChild(t *testing.T) {
	childtest.Only(t)
	prefix := os.Getenv("WANT_PREFIX")
	file, noMemory, name, status := "libcublasLt.so.13", int32(3), "cuBLASLt", "CUBLAS_STATUS_ARCH_MISMATCH"
	device := func() *Device { return cudaFake(t, "sm_90") }
	if prefix == "hipblasLt" {
		file, noMemory, name, status = "libhipblaslt.so.0", 2, "hipBLASLt", "HIPBLAS_STATUS_ARCH_MISMATCH"
		drv, infos, err := rocmDevices()
		if err != nil {
			t.Fatal(err)
		}
		device = func() *Device {
			d, err := newDevice(drv, infos[0])
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	var inject func(name string, code, times int32)
	var live func() int32
	standIn(t, file, "fakelt_inject", &inject)
	standIn(t, file, "fakelt_live", &live)
	const failure = 8 // ARCH_MISMATCH in both
	for _, call := range []string{
		"Create", "MatmulDescCreate", "MatmulDescSetAttribute", "MatrixLayoutCreate", "MatrixLayoutSetAttribute", "MatmulPreferenceCreate",
		"MatmulPreferenceSetAttribute", "MatmulAlgoGetHeuristic", "Matmul", "MatmulDescDestroy", "MatrixLayoutDestroy", "MatmulPreferenceDestroy", "GetVersion",
	} {
		if call == "GetVersion" && name == "cuBLASLt" {
			continue // it has a number before there is a handle
		}
		type failing struct {
			status, times int32
			quiet         bool // work goes on with the library
		}
		destroy := strings.HasSuffix(call, "Destroy")
		list := []failing{{failure, 2, destroy || call == "GetVersion"}} // nobody waits for descriptors to go
		if call == "Matmul" {
			list = append(list, failing{failure, 1, true}) // there is another way
		}
		if !destroy {
			list = append(list, failing{noMemory, 1, true}) // again after what is unused went back
		}
		for _, f := range list {
			d := device()
			batch := float8Cases[4]
			inject(prefix+call, f.status, f.times)
			done := batch.product(t, d, "f8e4m3")
			if !destroy { // those are for later
				inject("", 0, 0)
			}
			info := d.BLASLt()
			said := info.Problem + info.Refused["f8e4m3 in batches"]
			want := fmt.Sprintf("%s%s: %s (%d)\n  %s ", prefix, call, status, failure, name)
			if done != f.quiet || f.quiet && said != "" || !f.quiet && !strings.Contains(said, want) {
				t.Errorf("%s, %d: %v, and the library says %q", call, f.status, done, said)
			}
			if again := float8Cases[0].product(t, d, "f8e4m3"); again != (info.Problem == "") {
				t.Errorf("after %s: the next product: %v", call, again)
			}
			d.blasLt.Forget(libraryHost{d})
			inject("", 0, 0)
			if d.blasLt.Close(libraryHost{d}) != nil {
				t.Errorf("after %s: the handle cannot be destroyed", call)
			}
			if live() != 0 {
				t.Fatalf("%s, %d: %d objects are left", call, f.status, live())
			}
			if used := d.Memory().InUse; used != 0 {
				t.Errorf("%s, %d: %d bytes are in use", call, f.status, used)
			}
		}
	}
}

// TestCUDAFloat8 multiplies small whole numbers with the real cuBLASLt, in every form, where it and a GPU are there.
func TestCUDAFloat8(t *testing.T) {
	d := cudaDevice(t)
	info := d.BLASLt()
	if info.Name == "" {
		t.Skipf("no cuBLASLt: %s", info.Problem)
	}
	t.Logf("%s %s, %s", info.Name, info.Version, info.Path)
	for _, c := range float8Cases {
		if !c.product(t, d, "f8e4m3") {
			t.Errorf("%+v: the library was not used: %+v", c, d.BLASLt())
		}
	}
	if info := d.BLASLt(); len(info.Refused) != 0 || info.Version == "" {
		t.Errorf("BLASLt() = %+v", info)
	}
	b := alloc(t, d, 1<<12)
	rows := Matrix{Buffer: b, Row: 16, Col: 1}
	g, err := d.Capture(func() {
		if done, err := d.Gemm(&Gemm{Elem: "f8e4m3", M: 16, N: 16, K: 16, Batch: 1, A: rows, B: transposed(rows), C: Matrix{Buffer: b, Offset: 1024, Row: 16, Col: 1}}); !done || err != nil {
			t.Errorf("in a capture: %v, %v", done, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Replay(), d.Synchronize()); err != nil {
		t.Error(err)
	}
}
