package mathlib

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestRealLibraries asks the makers' own libraries, where they are installed, without a GPU: .ci/rocm runs it beside those of
// Debian unstable. Each is in a process of its own, as a library may end it.
func TestRealLibraries(t *testing.T) {
	childtest.Each(t, "TestRealRocBLASChild", "TestRealMIOpenChild", "TestRealHipBLASLtChild", "TestRealRocSOLVERChild",
		"TestRealCuSOLVERChild", "TestRealHipFFTChild", "TestRealHipSPARSEChild", "TestRealCuSPARSEChild")
}

func TestRealRocBLASChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	lib, err := rocblas.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("rocBLAS %q, %s", lib.Version, lib.File.Path)
	if lib.Lacks != "" {
		t.Errorf("it lacks %s", lib.Lacks)
	}
	if lib.Version == "" || strings.HasSuffix(lib.Version, ".") {
		t.Errorf("its version is %q", lib.Version)
	}
	var text func(c driver.Code) string
	purego.RegisterLibFunc(&text, lib.File.Handle, "rocblas_status_to_string")
	for c, name := range rocblasStatuses {
		if got := text(c); got != name && got != "rocblas_status_"+strings.TrimPrefix(name, "rocblas_status_") {
			t.Errorf("status %d is %q, the library says %q", c, name, got)
		}
	}
	if err := rocblasKernels(lib.File, "gfx90a"); err != nil {
		t.Error(err)
	}
	if err := rocblasKernels(lib.File, "gfx9999"); err == nil {
		t.Error("there are kernels for a GPU that nobody has made")
	}
}

func TestRealMIOpenChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	lib, err := miopen.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("MIOpen %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	if lib.Lacks != "" {
		t.Errorf("it lacks %s", lib.Lacks)
	}
	var text func(c driver.Code) string
	purego.RegisterLibFunc(&text, lib.File.Handle, "miopenGetErrorString")
	for c, name := range miopen.Statuses {
		if got := text(c); got != name {
			t.Errorf("status %d is %q, the library says %q", c, name, got)
		}
	}
	var tensor func(desc uintptr, elem, sizes, strides *int32) driver.Code
	var outputs func(conv, x, weights uintptr, dims, sizes *int32) driver.Code
	var attribute func(conv uintptr, name int32, value *int32) driver.Code
	purego.RegisterLibFunc(&tensor, lib.File.Handle, "miopenGetTensorDescriptor")
	purego.RegisterLibFunc(&outputs, lib.File.Handle, "miopenGetConvolutionNdForwardOutputDim")
	purego.RegisterLibFunc(&attribute, lib.File.Handle, "miopenGetConvolutionAttribute")
	d := stub{driver.HIP, "gfx90a"}
	n := new(DNN)
	n.lib, n.library = lib, &lib.VendorLibrary
	for elem, number := range miopen.types {
		for _, c := range convCases {
			c := sized(c)
			c.Elem = elem
			var p convPlan
			if err := n.describeConv(d, &c, &p); err != nil {
				t.Fatal(err)
			}
			for what, x := range map[string]struct {
				desc           uintptr
				sizes, strides []int
			}{
				"images":  {p.x, []int{c.Images, c.Channels, c.H, c.W}, c.strides(c.Channels, c.H, c.W)},
				"weights": {p.weights, c.weightSizes(), c.strides(c.Channels/c.Groups, c.KH, c.KW)},
				"results": {p.y, []int{c.Images, c.Outs, c.OH, c.OW}, c.strides(c.Outs, c.OH, c.OW)},
			} {
				var got int32
				sizes, strides := make([]int32, 4), make([]int32, 4)
				if c := tensor(x.desc, &got, &sizes[0], &strides[0]); c != 0 || got != number || !slices.Equal(sizes, int32s(x.sizes)) || !slices.Equal(strides, int32s(x.strides)) {
					t.Errorf("%s %s: status %d, type %d, sizes %v, strides %v, want %d, %v, %v", elem, what, c, got, sizes, strides, number, x.sizes, x.strides)
				}
			}
			dims, sizes := int32(4), make([]int32, 4)
			if s := outputs(p.conv, p.x, p.weights, &dims, &sizes[0]); s != 0 || dims != 4 || !slices.Equal(sizes, int32s([]int{c.Images, c.Outs, c.OH, c.OW})) {
				t.Errorf("%s: status %d, results of %d sizes %v", c.Text(), s, dims, sizes)
			}
			for name, want := range map[int32]int32{MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC: 1, MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL: 0} {
				var got int32
				if s := attribute(p.conv, name, &got); s != 0 || got != want {
					t.Errorf("attribute %d: status %d, %d", name, s, got)
				}
			}
			for _, s := range p.destroySteps(lib) {
				if c := s.call(); c != 0 {
					t.Errorf("%s: status %d", s.name, c)
				}
			}
		}
	}
}

func TestRealHipBLASLtChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	lib, err := hipblaslt.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("hipBLASLt %s, %s", lib.VendorLibrary.Version, lib.File.Path)
	if err := hipblasltKernels(lib.File, "gfx1201"); err != nil {
		t.Error(err)
	}
	type get func(desc uintptr, attribute int32, value unsafe.Pointer, size uintptr, written *uintptr) driver.Code
	var product, preference get
	purego.RegisterLibFunc(&product, lib.File.Handle, "hipblasLtMatmulDescGetAttribute")
	purego.RegisterLibFunc(&preference, lib.File.Handle, "hipblasLtMatmulPreferenceGetAttribute")
	d := stub{driver.HIP, "gfx950"}
	n := new(BLASLt)
	n.lib, n.library = lib, &lib.VendorLibrary
	shape := ltShape{elem: "f8e4m3", m: 5, n: 32, k: 64, batch: 3, leads: [3]int{64, 80, 48}, batches: [3]int{320, 2560, 240}, alignments: [3]int{16, 32, 256}}
	var p ltPlan
	if err := n.plan(d, &shape, &p); err == nil || !strings.Contains(err.Error(), "hipblasLtMatmulAlgoGetHeuristic") {
		t.Fatalf("without a handle: %v", err)
	} else {
		t.Log(err)
	}
	check := func(what string, f get, desc uintptr, attribute int32, size int, want uint64) {
		t.Helper()
		value, written := make([]byte, 8), uintptr(0)
		if c := f(desc, attribute, unsafe.Pointer(&value[0]), uintptr(size), &written); c != 0 {
			t.Errorf("%s: status %d", what, c)
		} else if got := binary.LittleEndian.Uint64(value); got != want {
			t.Errorf("%s is %d, want %d", what, got, want)
		}
	}
	check("the first operand transposed", product, p.product, 0, 4, HIPBLAS_OP_T)
	check("the limit of workspace", preference, p.preference, 1, 8, 0)
	for _, s := range p.destroySteps(lib) {
		if c := s.call(); c != 0 {
			t.Errorf("%s: status %d", s.name, c)
		}
	}
}

func TestRealRocSOLVERChild(t *testing.T) {
	childtest.Only(t)
	childtest.NoGPU(t)
	lib := realSolver(t, rocsolver)
	if err := rocsolver.Supports(lib.File, "gfx90a"); err != nil {
		t.Error(err)
	}
}

func TestRealCuSOLVERChild(t *testing.T) {
	childtest.Only(t)
	lib := realSolver(t, cusolver)
	for _, elem := range []string{"f32", "f64", "c64", "c128"} {
		for _, routine := range solverRoutines {
			if name := cusolver.name(&Factor{Routine: routine, Elem: elem}) + "_bufferSize"; lib.routine(name) == nil {
				t.Errorf("it lacks %s", name)
			}
		}
	}
}

// solverRoutines are those of both libraries; rocSOLVER's gesvdj, which takes a number by value, is not called.
var solverRoutines = []string{"getrf", "potrf", "geqrf", "orgqr", "gesvd", "gesvdj", "syevd"}

// realSolver loads a library, which must have all routines for all types.
func realSolver(t *testing.T, kind *solverKind) *solverLibrary {
	t.Helper()
	lib, err := kind.load()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("%s %q, %s", kind.Name, lib.Version, lib.File.Path)
	if lib.Version == "" {
		t.Error("it has no version")
	}
	for _, elem := range []string{"f32", "f64", "c64", "c128"} {
		for _, routine := range solverRoutines {
			if name := kind.name(&Factor{Routine: routine, Elem: elem}); lib.routine(name) == nil {
				t.Errorf("it lacks %s", name)
			}
		}
	}
	return lib
}
