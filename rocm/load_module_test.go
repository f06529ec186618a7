package rocm

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// foreignFile compiles testdata/foreign.hip in a form that clang writes.
func foreignFile(t *testing.T, options ...string) string {
	t.Helper()
	clang, err := compile.FindClang()
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "foreign.hsaco")
	args := append([]string{"-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-o", file}, options...)
	if out, err := exec.Command(clang.Path, append(args, "testdata/foreign.hip")...).CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, out)
	}
	return file
}

func floatsOf(t *testing.T, b *Buffer) []float32 {
	t.Helper()
	raw := make([]byte, b.Len())
	if err := b.Download(raw, 0); err != nil {
		t.Fatal(err)
	}
	list := make([]float32, len(raw)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return list
}

func TestLoadModule(t *testing.T) {
	thorough.Slow(t)
	d := ownEmulator(t)
	several := []string{"--offload-arch=gfx90a:xnack-", "--offload-arch=gfx1100"}
	for name, options := range map[string][]string{
		"code object": {"--cuda-device-only", "--no-gpu-bundle-output", "--offload-arch=gfx1100"},
		"bundle":      append(several, "--cuda-device-only", "--gpu-bundle-output"),
		"compressed":  append(several, "--cuda-device-only", "--gpu-bundle-output", "--offload-compress"),
		"object file": append(several, "-c"),
	} {
		t.Run(name, func(t *testing.T) { testForeign(t, d, foreignFile(t, options...)) })
	}
}

// testForeign launches the kernels of testdata/foreign.hip.
func testForeign(t *testing.T, d *Device, file string) {
	m, err := LoadModule(file, d)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Kernels(); !slices.Equal(got, []string{"ns::saxpy<float>", "ns::saxpy<double>", "mix"}) {
		t.Errorf("kernels %q", got)
	}
	if got := m.Variables(); !slices.Equal(got, []string{"counter", "weights"}) {
		t.Errorf("variables %q", got)
	}
	x, y := alloc(t, d, 40), alloc(t, d, 40)
	if err := errors.Join(x.Fill32(0, 10, math.Float32bits(2)), y.Fill32(0, 10, math.Float32bits(1))); err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("ns::saxpy<float>")
	if err != nil {
		t.Fatal(err)
	}
	if got := k.String(); got != "ns::saxpy<float>(float, const float *, float *, unsigned int)" {
		t.Errorf("kernel %q", got)
	}
	if err := k.Launch(10, 3, x, y, 10); err != nil { // the symbol says that it is a float
		t.Fatal(err)
	}
	if got := floatsOf(t, y); got[0] != 7 || got[9] != 7 {
		t.Errorf("saxpy: %v", got)
	}
	mix, err := m.Kernel("mix")
	if err != nil {
		t.Fatal(err)
	}
	vec := [4]float32{0, 0, 0, 10}
	if err := mix.LaunchGrid([3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, y, float32(2), vec, int8(-1), int64(10), uint16(0x4400)); err != nil {
		t.Fatal(err)
	}
	if got := floatsOf(t, y); got[0] != 24 || got[3] != 27 {
		t.Errorf("mix: %v", got)
	}
	testGlobals(t, m, mix, y)
	testForeignErrors(t, m, mix, y)
	if err := m.Unload(); err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(10, 3, x, y, 10); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "was unloaded") {
		t.Errorf("launched after Unload: %v", err)
	}
	if _, err := m.Kernel("mix"); !errors.Is(err, ErrInvalid) {
		t.Errorf("kernel after Unload: %v", err)
	}
	if err := m.Unload(); err != nil {
		t.Errorf("again: %v", err)
	}
}

func testGlobals(t *testing.T, m *Module, mix *Kernel, y *Buffer) {
	t.Helper()
	counter, err := m.Global("counter")
	if err != nil {
		t.Fatal(err)
	}
	weights, err := m.Global("weights")
	if err != nil || counter.Len() != 4 || weights.Len() != 16 {
		t.Fatalf("%d and %v: %v", counter.Len(), weights, err)
	}
	var n [4]byte
	if err := counter.Download(n[:], 0); err != nil || n[0] != 6 {
		t.Errorf("counter %d after a launch: %v", n[0], err)
	}
	err = errors.Join(weights.Fill32(0, 4, math.Float32bits(100)), counter.Upload(0, []byte{41, 0, 0, 0}),
		mix.Launch(10, y, float32(0), [4]float32{}, int8(0), int64(10), uint16(0)), counter.Download(n[:], 0))
	if got := floatsOf(t, y); err != nil || got[7] != 100 || n[0] != 42 {
		t.Errorf("after writing the variables: %v, counter %d: %v", got, n[0], err)
	}
	counter.Free()
	if again, err := m.Global("counter"); err != nil || again.Download(n[:], 0) != nil {
		t.Errorf("after Free of the buffer: %v", err)
	}
	if _, err := m.Global("nope"); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "it has counter, weights") {
		t.Errorf("no such variable: %v", err)
	}
}

// testForeignErrors: what does not fit a module's kernel is refused, with what it wants.
func testForeignErrors(t *testing.T, m *Module, mix *Kernel, y *Buffer) {
	t.Helper()
	vec, n := [4]float32{}, int64(10)
	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{y, float32(2), vec, int8(0), n}, "6 parameters; the launch has 5 arguments"},
		{[]any{y, 2, vec, int8(0), n, uint16(0)}, "argument 2: want a value of 4 bytes whose type says so (int32, uint32 or float32), not int(2)"},
		{[]any{y, 2.0, vec, int8(0), n, uint16(0)}, "argument 2: want a value of 4 bytes whose type says so (int32, uint32 or float32), not float64(2) of 8"},
		{[]any{y, float32(2), [3]float32{}, int8(0), n, uint16(0)}, "argument 3: want a Go struct or array of 16 bytes, not a [3]float32 of 12"},
		{[]any{y, float32(2), vec, y, n, uint16(0)}, "argument 4: want a value of 1 bytes whose type says so (uint8 or int8), not a *rocm.Buffer"},
		{[]any{float32(1), float32(2), vec, int8(0), n, uint16(0)}, "argument 1: want a tensor for void *, not float32(1)"},
		{[]any{y, nil, vec, int8(0), n, uint16(0)}, "argument 2: want a value of 4 bytes, not nil"},
	} {
		if err := mix.Launch(10, c.args...); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v\nwant %s", c.args, err, c.want)
		}
	}
	if _, err := m.Kernel("ns::saxpy"); !errors.Is(err, ErrNoKernel) ||
		!strings.Contains(err.Error(), "has 2 kernels of this name\n  _ZN2ns5saxpyIfEEvT_PKS1_PS1_j is ns::saxpy<float>") {
		t.Errorf("two of that name: %v", err)
	}
	if _, err := m.Kernel("nope"); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "has no such kernel\n  _ZN2ns5saxpyIfEEvT_PKS1_PS1_j is ns::saxpy<float>\n") {
		t.Errorf("none of that name: %v", err)
	}
}

func TestLoadModuleRefused(t *testing.T) {
	thorough.Slow(t)
	d := ownEmulator(t)
	file := foreignFile(t, "--offload-arch=gfx90a:xnack-", "--offload-arch=gfx942", "--cuda-device-only", "--gpu-bundle-output")
	_, err := LoadModule(file, d)
	want := "rocm: load module foreign.hsaco on rocm:0: there is no code object for gfx1100: it has gfx90a:xnack-, gfx942\n" +
		"  compile it for this GPU, too: --offload-arch=gfx1100"
	if !errors.Is(err, ErrUnsupported) || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if _, err := LoadModule(filepath.Join(t.TempDir(), "nope"), d); !errors.Is(err, ErrInvalid) {
		t.Errorf("no file: %v", err)
	}
	if _, err := LoadModuleData("text", []byte("#include"), d); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), `begin with "#include"`) {
		t.Errorf("no object: %v", err)
	}
	if _, err := LoadModuleData("two", nil, d, d); !errors.Is(err, ErrInvalid) {
		t.Errorf("two devices: %v", err)
	}
}

// TestUnloadCaptured: a graph keeps the modules of its kernels.
func TestUnloadCaptured(t *testing.T) {
	d := ownEmulator(t)
	object, err := os.ReadFile("testdata/kernels.gfx1100.co")
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadModuleData("kernels", object, d)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("scale")
	if err != nil {
		t.Fatal(err)
	}
	x := alloc(t, d, 40)
	g, err := d.Capture(func() {
		if err := k.Launch(10, x, x, float32(2), uint64(10)); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unload(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "1 graph of kernels of the module") {
		t.Errorf("unloaded below a graph: %v", err)
	}
	g.Free()
	free := d.Memory().Free
	if err := m.Unload(); err != nil || d.Memory().Free <= free {
		t.Errorf("%v; %d bytes free, %d before", err, d.Memory().Free, free)
	}
}

// TestCompiledUnloaded: a kernel that was compiled here is loaded again after its module was unloaded.
func TestCompiledUnloaded(t *testing.T) {
	d := withCompiler(t)
	k, err := Compile("seven", "__global__ void seven(float *x) { x[threadIdx.x] = 7; }")
	if errors.Is(err, ErrNoLibrary) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	object, err := k.CodeObject(d)
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadModuleData("seven", object, d)
	if err != nil {
		t.Fatal(err)
	}
	own, err := k.functionOn(d)
	if err != nil {
		t.Fatal(err)
	}
	x := alloc(t, d, 40)
	if err := errors.Join(own.module.Unload(), k.Launch(10, x)); err != nil || floatsOf(t, x)[9] != 7 {
		t.Errorf("compiled again: %v", err)
	}
	seven, err := m.Kernel("seven")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Fill(0, 40, 0), seven.Launch(10, x)); err != nil || floatsOf(t, x)[9] != 7 {
		t.Errorf("of the module: %v", err)
	}
}

// TestLoadModuleHIP has the stand-in check the calls of a GPU's module.
func TestLoadModuleHIP(t *testing.T) {
	thorough.Slow(t)
	file := foreignFile(t, "--cuda-device-only", "--no-gpu-bundle-output", "--offload-arch=gfx1100")
	childtest.Run(t, "TestLoadModuleHIPChild", append(childtest.FakeHIP(t, "testdata"), "FOREIGN="+file)...)
}

func TestLoadModuleHIPChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var modules func() int32
	standIn(t, "libamdhip64.so.6", "fakehip_modules", &modules)
	m, err := LoadModule(os.Getenv("FOREIGN"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("mix")
	if err != nil {
		t.Fatal(err)
	}
	y := alloc(t, d, 40)
	if err := k.Launch(10, y, float32(2), [4]float32{1, 2, 3, 4}, int8(-1), int64(10), uint16(0x4400)); err != nil {
		t.Fatal(err)
	}
	b, err := m.Global("counter")
	if err != nil || b.Len() != 12 {
		t.Fatalf("%v, %v", b, err)
	}
	var got [12]byte
	if err := errors.Join(b.Upload(0, []byte("hello, world")), b.Download(got[:], 0)); err != nil || string(got[:]) != "hello, world" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := m.Global("nope"); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "hipModuleGetGlobal: hipErrorNotFound (500)") {
		t.Errorf("no such variable: %v", err)
	}
	if modules() != 1 {
		t.Errorf("%d modules", modules())
	}
	if err := m.Unload(); err != nil || modules() != 0 {
		t.Errorf("unloaded: %d modules are left, %v", modules(), err)
	}
	if err := b.Upload(0, []byte{1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a variable after Unload: %v", err)
	}
}
