package rocm

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// withCompiler skips where nothing compiles for the emulated device.
func withCompiler(t *testing.T) *Device {
	t.Helper()
	d, err := Open("cuda")
	if err != nil {
		d, err = Open("rocm")
	}
	if err != nil {
		t.Skip(err)
	}
	if _, err := targetOf(d).Compiler(); err != nil {
		t.Skipf("no compiler: %v", err)
	}
	return d
}

const saxpySource = `
// y += a·x
__global__ void saxpy(float a, const float *x, float *y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
struct Pair { float scale; int shift; };
extern "C" __global__ void __launch_bounds__(64) mixed(double *out, Pair p, float4 v, unsigned char c, bool b, short s, uint64_t n, const int *ids) {
  out[0] = p.scale, out[1] = p.shift, out[2] = v.x, out[3] = v.w, out[4] = c, out[5] = b, out[6] = s, out[7] = (double)n;
  out[8] = ids == nullptr ? -1 : ids[1];
}`

// floats is memory of float32 or float64 with a type, as a tensor would give it.
type floats struct {
	b    *Buffer
	elem string
	n    int
}

func (f floats) Memory() (Memory, error) {
	return Memory{Buffer: f.b, Elem: f.elem, Shape: []int{f.n}}, nil
}

func upload32(t *testing.T, d *Device, values ...float32) floats {
	t.Helper()
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	b, err := d.Alloc(len(raw))
	if err == nil {
		err = b.Upload(0, raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return floats{b, "f32", len(values)}
}

func TestKernelLaunch(t *testing.T) {
	d := withCompiler(t)
	k, err := Compile("saxpy", saxpySource)
	if err != nil {
		t.Fatal(err)
	}
	x, y := upload32(t, d, 1, 2, 3), upload32(t, d, 10, 20, 30)
	if err := k.Launch(3, 2.0, x, y, 3); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 12)
	if err := y.b.Download(raw, 0); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{12, 24, 36} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}

	if k, err = Compile("mixed", saxpySource); err != nil {
		t.Fatal(err)
	}
	out, err := d.Alloc(9 * 8)
	if err != nil {
		t.Fatal(err)
	}
	type pair struct {
		Scale float32
		Shift int32
	}
	if err := k.Launch(1, out, pair{1.5, -3}, []float64{4, 5, 6, 7}, 200, true, int8(-9), uint64(1)<<40, nil); err != nil {
		t.Fatal(err)
	}
	raw = make([]byte, 9*8)
	if err := out.Download(raw, 0); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.5, -3, 4, 7, 200, 1, -9, 1 << 40, -1} {
		if got := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])); got != want {
			t.Errorf("argument %d is %v in the kernel, want %v", i, got, want)
		}
	}
	if r, err := k.Resources(nil); err != nil || r.Arch != d.info.Arch {
		t.Errorf("Resources(nil) = %+v, %v", r, err)
	}
	if text, err := k.Disassembly(nil); err != nil && !errors.Is(err, ErrUnsupported) || err == nil && text == "" {
		t.Errorf("Disassembly(nil) = %q, %v", text, err)
	}
}

// TestKernelLaunchThreads counts the threads that Launch starts.
func TestKernelLaunchThreads(t *testing.T) {
	d := withCompiler(t)
	k, err := Compile("count", `__global__ void count(unsigned *threads) {
  atomicAdd(threads, 1u);
  threads[1] = blockDim.x;
}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ n, threads, block uint32 }{
		{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {33, 33, 33}, {255, 255, 255}, {256, 256, 256}, {257, 512, 256}, {1000, 1024, 256},
	} {
		out, err := d.Alloc(8)
		raw := make([]byte, 8)
		if err := errors.Join(err, out.Upload(0, raw), k.Launch(int(c.n), out), out.Download(raw, 0)); err != nil {
			t.Fatal(err)
		}
		if threads, block := binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:]); threads != c.threads || block != c.block {
			t.Errorf("Launch(%d) started %d threads in blocks of %d, want %d in blocks of %d", c.n, threads, block, c.threads, c.block)
		}
	}
	out := alloc(t, d, 8)
	for _, grid := range [][3]int{{0, 1, 1}, {1, 1, 0}} { // as in HIP
		err := k.LaunchGrid(grid, [3]int{1, 1, 1}, 0, out)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "has no blocks") {
			t.Errorf("grid %v: %v", grid, err)
		}
	}
	if err := k.Launch(0, out); err != nil {
		t.Errorf("no threads: %v", err)
	}
}

func TestKernelArguments(t *testing.T) {
	d := withCompiler(t)
	list, err := CompileAll("kernels", saxpySource)
	if err != nil {
		t.Fatal(err)
	}
	saxpy, mixed := list[0], list[1]
	x, y := upload32(t, d, 1, 2), upload32(t, d, 3, 4)
	wide := floats{x.b, "f64", 1}
	p := struct{ A, B int32 }{}
	v := [4]float32{}
	for _, c := range []struct {
		k    *Kernel
		args []any
		want string
	}{
		{saxpy, []any{2.0, x, y}, "4 parameters; the launch has 3 arguments"},
		{saxpy, []any{2.0, wide, y, 2}, "argument 2, x: want a tensor of f32 for const float *x, not f64[1]; x.ToDType(tensor.F32) converts"},
		{saxpy, []any{"a", x, y, 2}, "argument 1, a: want float, not a string: that is not a number"},
		{saxpy, []any{2.0, []float32{1}, y, 2}, "argument 2, x: want a tensor of f32 for const float *x, not a []float32"},
		{saxpy, []any{2.0, x, y, -1}, "argument 4, n: want unsigned, not int(-1): -1 is beyond its range"},
		{saxpy, []any{2.0, x, y, 2.5}, "argument 4, n: want unsigned, not float64(2.5): 2.5 is not a whole number"},
		{saxpy, []any{2.0, x, (*Buffer)(nil), 2}, "argument 3, y: buffer 1 is nil"},
		{mixed, []any{x.b, 3, v, 1, true, 1, 1, nil}, "argument 2, p: want a Go struct with the fields of Pair, not int(3)"},
		{mixed, []any{x.b, struct{ A float64 }{}, v, 1, true, 1, 1, nil}, ""}, // as long as Pair
		{mixed, []any{x.b, struct{ A, B, C int32 }{}, v, 1, true, 1, 1, nil}, "argument 2, p: Pair has 8 bytes in the kernel, and struct { A int32; B int32; C int32 } has 12: the fields differ"},
		{mixed, []any{x.b, p, v[:3], 1, true, 1, 1, nil}, "argument 3, v: want 4 numbers for float4"},
		{mixed, []any{x.b, p, v, 256, true, 1, 1, nil}, "argument 4, c: want unsigned char, not int(256): 256 is beyond its range"},
		{mixed, []any{x.b, p, v, 1, 1, 1, 1, nil}, "argument 5, b: want bool, not int(1): that is not a bool"},
		{mixed, []any{x.b, p, v, 1, true, 40000, 1, nil}, "argument 6, s: want short, not int(40000): 40000 is beyond its range"},
	} {
		err := c.k.Launch(0, c.args...)
		if c.want == "" && err == nil || d.Info().Platform == CUDA && strings.Contains(c.want, "the fields differ") {
			continue
		}
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.k.String()) {
			t.Errorf("%v: got %v, want %q and %s", c.args, err, c.want, c.k)
		}
	}
}

func TestKernelCompileErrors(t *testing.T) {
	withCompiler(t)
	for _, c := range []struct{ name, source, want string }{
		{"f", "int x;", "the source has no kernel"},
		{"f", "template <class T> __global__ void f(T *x) {}", "templates only"},
		{"f", "__global__ void g(int *x) {}\n__global__ void h(int *x) {}", "the source has no kernel f: it has g, h"},
	} {
		if _, err := Compile(c.name, c.source); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.source, err, c.want)
		}
	}
	_, err := Compile("bad", "\n\t__global__ void bad(float *x) {\n  x[0] = nope;\n  return 1;\n}")
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrCompile {
		t.Fatalf("got %v", err)
	}
	m := e.Messages()
	if len(m) < 2 || m[0].Line != 3 || m[0].Column != 10 && m[0].Column != 0 || // NVRTC tells no columns
		m[0].Severity != "error" || !strings.Contains(m[0].Text, "nope") || m[1].Line != 4 {
		t.Errorf("messages %+v of\n%v", m, err)
	}
}

func TestMessages(t *testing.T) {
	e := &Error{Kind: ErrCompile, Detail: "k(3): error: identifier \"nope\" is undefined\n    x[0] = nope;\n           ^\n\nk(7): warning #177-D: variable \"y\" was declared but never referenced\nk:4:2: fatal error: too far\n1 error detected"}
	want := []Message{{3, 0, "error", `identifier "nope" is undefined`}, {7, 0, "warning", `variable "y" was declared but never referenced`}, {4, 2, "error", "too far"}}
	got := e.Messages()
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

func TestKernelResources(t *testing.T) {
	d := withCompiler(t)
	k, err := Compile("tile", `
__global__ void __launch_bounds__(128) tile(float *x) {
  __shared__ float part[4096];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[127 - threadIdx.x];
}`)
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Resources(d)
	if err != nil {
		t.Fatal(err)
	}
	if r.Shared != 16384 || r.MaxThreads != 128 || r.VGPRs < 1 || d.Info().Platform != CUDA && r.SGPRs < 1 || r.Scratch != 0 {
		t.Errorf("resources %+v", r)
	}
	if text, err := k.Disassembly(d); err != nil || d.Emulated() && !strings.Contains(text, "s_barrier") || d.Emulated() && !strings.Contains(text, "s_endpgm") {
		t.Errorf("disassembly: %v\n%s", err, text)
	}
	// 8 blocks of 4 waves share the LDS of four SIMDs.
	if d.Emulated() && (r.Waves != 8 || r.MaxWaves != 16 || r.Limit != "shared memory") {
		t.Errorf("occupancy %+v", r)
	}
	for _, c := range []struct {
		r     Resources
		waves int
		limit string
	}{
		{Resources{Arch: "gfx1100", VGPRs: 96, Wave: 32, MaxThreads: 1024}, 16, ""},
		{Resources{Arch: "gfx1100", VGPRs: 97, Wave: 32, MaxThreads: 1024}, 12, "registers"},
		{Resources{Arch: "gfx90a:sramecc+:xnack-", VGPRs: 128, Wave: 64, MaxThreads: 1024}, 4, "registers"},
		{Resources{Arch: "gfx906", VGPRs: 24, Wave: 64, MaxThreads: 1024}, 10, ""},
		{Resources{Arch: "gfx1030", VGPRs: 8, Wave: 32, Shared: 65536, MaxThreads: 1024}, 4, "shared memory"},
	} {
		c.r.occupy()
		if c.r.Waves != c.waves || c.r.Limit != c.limit {
			t.Errorf("%+v: want %d waves, limited by %q", c.r, c.waves, c.limit)
		}
	}
}

// TestKernelMath has functions that clang does not make by itself.
func TestKernelMath(t *testing.T) {
	d := withCompiler(t)
	k, err := Compile("functions", `
#define SHARED 1  // macros of other headers are not in the way
__global__ void functions(const double *x, double *out) {
  double v = x[0];
  float f = (float)v;
  out[0] = sin(v), out[1] = cos(v), out[2] = pow(v, 2.5), out[3] = erf(v), out[4] = exp(v), out[5] = log(v), out[6] = tanh(v), out[7] = expm1(v);
  out[8] = sinf(f), out[9] = powf(f, 2.5f), out[10] = erff(f), out[11] = tanf(f), out[12] = expf(f), out[13] = SHARED;
}`)
	if err != nil {
		t.Fatal(err)
	}
	const v = 0.75
	x, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Upload(0, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))); err != nil {
		t.Fatal(err)
	}
	out, err := d.Alloc(14 * 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(1, x, out); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 14*8)
	if err := out.Download(raw, 0); err != nil {
		t.Fatal(err)
	}
	want := []float64{math.Sin(v), math.Cos(v), math.Pow(v, 2.5), math.Erf(v), math.Exp(v), math.Log(v), math.Tanh(v), math.Expm1(v),
		math.Sin(v), math.Pow(v, 2.5), math.Erf(v), math.Tan(v), math.Exp(v), 1}
	for i, w := range want {
		limit := 1e-15
		if i >= 8 {
			limit = 1e-6
		}
		if got := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])); math.Abs(got-w) > limit*math.Abs(w)*2 {
			t.Errorf("function %d is %v, want %v", i, got, w)
		}
	}
}

// TestKernelLanes sums with shuffles, which are written in HIP's way and in CUDA's.
func TestKernelLanes(t *testing.T) {
	d := withCompiler(t)
	list, err := CompileAll("lanes", `
__global__ void __launch_bounds__(32, 1) down(float *x) {
  float v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);
  if (threadIdx.x == 0) x[0] = v;
}
__global__ void across(float *x) {
  float v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  x[threadIdx.x] = v;
}
__global__ void others(float *x) {
  int lane = threadIdx.x;
  double wide = __shfl((double)lane, 3, 8), up = __shfl_up(lane, 1, 4);
  x[lane] = (float)wide * 100 + (float)up + 10000 * __popc((unsigned)__ballot(lane % 2)) + (__any(lane == 7) ? 0.5f : 0) + (__all(lane < 9) ? 0.25f : 0);
}`)
	if err != nil {
		t.Fatal(err)
	}
	input := make([]float32, 32)
	for i := range input {
		input[i] = float32(i)
	}
	for i, want := range []func(lane int) float32{
		func(lane int) float32 {
			if lane == 0 {
				return 496
			}
			return float32(lane)
		},
		func(int) float32 { return 496 },
		func(lane int) float32 {
			up := lane - 1
			if lane%4 == 0 {
				up = lane
			}
			return float32((lane&^7+3)*100+up+160000) + 0.5
		},
	} {
		x := upload32(t, d, input...)
		if err := list[i].LaunchGrid([3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, x); err != nil {
			t.Fatal(err)
		}
		raw := make([]byte, 4*32)
		if err := x.b.Download(raw, 0); err != nil {
			t.Fatal(err)
		}
		for lane := range 32 {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*lane:])); got != want(lane) {
				t.Errorf("%s: lane %d has %v, want %v", list[i].Name(), lane, got, want(lane))
			}
		}
	}
}
