package selftest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// bindingChecks are about what package rocm asks of a driver: they pass for each GPU before its kernels can be right.
func bindingChecks(d *rocm.Device, dev *tensor.Device) []devicetest.Check {
	return []devicetest.Check{
		{Name: "device", Run: func(t devicetest.T) { checkInfo(t, d) }},
		{Name: "memory", Run: func(t devicetest.T) { checkMemory(t, d) }},
		{Name: "copies between GPUs", Run: func(t devicetest.T) { checkPeers(t, d) }},
		{Name: "launches", Run: func(t devicetest.T) { checkLaunch(t, d) }},
		{Name: "events", Run: func(t devicetest.T) { checkEvents(t, d, dev) }},
		{Name: "errors", Run: func(t devicetest.T) { checkErrors(t, d) }},
		{Name: "goroutines", Run: func(t devicetest.T) { checkGoroutines(t, dev) }},
		{Name: "sums over GPUs", Run: func(t devicetest.T) { checkGroup(t, d) }},
		{Name: "convolutions", Run: func(t devicetest.T) { checkDNN(t, d, dev) }},
		{Name: "products of f8e4m3", Run: func(t devicetest.T) { checkFloat8(t, d, dev) }},
		{Name: "Fourier transforms", Run: func(t devicetest.T) { checkTransforms(t, d, dev) }},
		{Name: "factorisations", Run: func(t devicetest.T) { checkFactors(t, d, dev) }},
		{Name: "BLAS", Run: func(t devicetest.T) { checkBLAS(t, d, dev) }},
	}
}

func checkInfo(t devicetest.T, d *rocm.Device) {
	i := d.Info()
	if i.Wave != 32 && i.Wave != 64 {
		t.Errorf("waves of %d threads", i.Wave)
	}
	if i.Name == "" || i.ComputeUnits < 1 || i.TotalMemory < 1<<20 {
		t.Errorf("name %q, %d compute units, %d bytes of memory", i.Name, i.ComputeUnits, i.TotalMemory)
	}
	if !strings.HasPrefix(i.Arch, "gfx") && !strings.HasPrefix(i.Arch, "sm_") {
		t.Errorf("the architecture is %q", i.Arch)
	}
	if m := d.Memory(); m.Total < 1<<20 || m.Free < 0 || m.Free > m.Total {
		t.Errorf("memory: %+v", m)
	}
}

// pattern fills n bytes that repeat in no power of two.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i/251 + seed)
	}
	return b
}

// checkMemory brings bytes to the device and back: as few as go through pinned memory, and more.
func checkMemory(t devicetest.T, d *rocm.Device) {
	for _, n := range []int{1, 4096, 64 << 10, 64<<10 + 1, 8<<20 + 3} {
		a, err := d.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		src, got := pattern(n, n), make([]byte, n)
		if err := errors.Join(a.Upload(0, src), b.CopyFrom(0, a, 0, n), b.Download(got, 0)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, src) {
			t.Errorf("%d bytes came back changed", n)
		}
		if err := errors.Join(b.Upload(n/2, []byte{77}), b.Download(got, 0)); err != nil {
			t.Fatal(err)
		}
		src[n/2] = 77
		if !bytes.Equal(got, src) {
			t.Errorf("of %d bytes, one was written: others changed", n)
		}
		a.Free()
		b.Free()
	}
}

func checkPeers(t devicetest.T, d *rocm.Device) {
	own := d.Info()
	for _, i := range rocm.Devices() {
		if i.Platform != own.Platform || i.Index == own.Index {
			continue
		}
		name := "rocm"
		if i.Platform == rocm.CUDA {
			name = "cuda"
		}
		other, err := rocm.Open(fmt.Sprintf("%s:%d", name, i.Index))
		if err != nil {
			t.Fatal(err)
		}
		const n = 1<<20 + 5
		a, err1 := d.Alloc(n)
		b, err2 := other.Alloc(n)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		src, got := pattern(n, 3), make([]byte, n)
		if err := errors.Join(a.Upload(0, src), b.CopyFrom(0, a, 0, n), b.Download(got, 0)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, src) {
			t.Errorf("bytes were changed on the way to %v", other)
		}
		return
	}
	t.Skip("there is one GPU of this kind only")
}

// launchSource has a kernel that stores what it was given: arguments of every size, and what blocks and threads know of
// themselves.
const launchSource = `struct Pair { signed char c; double d; };
struct Both { short s; Pair pair[2]; float f; };
extern "C" __global__ void arguments(double *out, unsigned a, unsigned long long b, int c, float d, double e, Both o, unsigned last) {
  out[0] = a, out[1] = (double)b, out[2] = c, out[3] = d, out[4] = e;
  out[5] = o.s, out[6] = o.pair[0].c, out[7] = o.pair[0].d, out[8] = o.pair[1].c, out[9] = o.pair[1].d, out[10] = o.f;
  out[11] = last;
}
extern "C" __global__ void places(unsigned *out) {
  extern __shared__ unsigned part[];
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned n = blockDim.x * blockDim.y * blockDim.z;
  part[t] = b * n + t;
  __syncthreads();
  out[b * n + t] = part[n - 1 - t];
}`

func checkLaunch(t devicetest.T, d *rocm.Device) {
	m, err := d.Compile("selftest.hip", launchSource)
	if d.Emulated() && errors.Is(err, rocm.ErrNoLibrary) {
		t.Skip("no compiler for kernels of one's own: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	arguments, err1 := m.Function("arguments")
	places, err2 := m.Function("places")
	out, err3 := d.Alloc(4 * 7 * 3 * 2 * 32 * 2 * 3)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	type pair struct {
		C int8
		D float64
	}
	type both struct {
		S    int16
		Pair [2]pair
		F    float32
	}
	args := rocm.NewArgs().Buffer(out, 0).U32(0xfedcba98).U64(1<<52 + 1).I32(-3).F32(1.25).F64(-2.5).
		Struct(&both{-4, [2]pair{{5, 6.5}, {-7, 8.5}}, 9.5}).U32(10)
	got := make([]byte, out.Len())
	if err := errors.Join(d.Launch(arguments, [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, args),
		out.Download(got, 0)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0xfedcba98, 1<<52 + 1, -3, 1.25, -2.5, -4, 5, 6.5, -7, 8.5, 9.5, 10} {
		if v := math.Float64frombits(word(got[8*i:]) | word(got[8*i+4:])<<32); v != want {
			t.Errorf("argument %d arrived as %v, sent as %v", i, v, want)
		}
	}
	threads := 32 * 2 * 3
	err = d.Launch(places, [3]int{7, 3, 2}, [3]int{32, 2, 3}, 4*threads, rocm.NewArgs().Buffer(out, 0))
	if err := errors.Join(err, out.Download(got, 0)); err != nil {
		t.Fatal(err)
	}
	for i := range len(got) / 4 {
		if want := uint64(i/threads*threads + threads - 1 - i%threads); word(got[4*i:]) != want {
			t.Fatalf("thread %d of block %d stored %d, not %d", i%threads, i/threads, word(got[4*i:]), want)
		}
	}
}

// word is the 32-bit word that b begins with; all devices store the low byte first.
func word(b []byte) uint64 {
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

func checkEvents(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	if err := errors.Join(d.StartTimer(), d.StartProfile()); err != nil {
		t.Fatal(err)
	}
	x := dev.Ones(tensor.F32, 256, 256)
	for range 3 {
		x = x.Exp().Mul(0.1)
	}
	list, err := d.StopProfile()
	if err != nil {
		t.Fatal(err)
	}
	work, err := d.StopTimer()
	if err != nil {
		t.Fatal(err)
	}
	launches := uint64(0)
	for _, p := range list {
		launches += p.Launches
		if p.Time <= 0 {
			t.Errorf("%s took %v", p.Kernel, p.Time)
		}
	}
	if work <= 0 || launches < 6 {
		t.Errorf("%d launches in %v", launches, work)
	}
}

// checkErrors makes mistakes that a driver must notice, and sees that the device works after each.
func checkErrors(t devicetest.T, d *rocm.Device) {
	_, err := d.Load(rocm.Program{Name: "selftest junk",
		Object: func(string) ([]byte, bool) { return []byte("this is not a code object, but text"), true }})
	if err == nil {
		t.Error("text was loaded as a code object")
	}
	if _, err := d.Alloc(1 << 50); !errors.Is(err, rocm.ErrOutOfMemory) {
		t.Errorf("1024 TiB of memory: %v", err)
	}
	checkMemory(t, d)
}

func checkGoroutines(t devicetest.T, dev *tensor.Device) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for g := range 8 {
		wg.Go(func() {
			x, err := tensor.Try(func() *tensor.Tensor {
				x := dev.Full(tensor.F32, g, 1000)
				for range 20 {
					x = x.Add(1)
				}
				return x.Sum()
			})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("goroutine %d: %v", g, err)
			} else if got, want := x.Float64s()[0], float64(1000*(g+20)); got != want {
				t.Errorf("goroutine %d: %v, want %v", g, got, want)
			}
		})
	}
	wg.Wait()
}

// checkBLAS multiplies small whole numbers, whose products every type holds exactly, in every form that goes to a
// library.
func checkBLAS(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	if info := d.BLAS(); info.Name == "" {
		t.Skip("gorocm's own kernels multiply: ", info.Problem)
	}
	as := func(x *tensor.Tensor) *tensor.Tensor { return x }
	swap := func(x *tensor.Tensor) *tensor.Tensor { return x.T() }
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16} {
		small := func(shape ...int) *tensor.Tensor { return wholeUpTo(3, dt, shape...) }
		for name, c := range map[string]struct {
			a, b   *tensor.Tensor
			va, vb func(*tensor.Tensor) *tensor.Tensor
		}{
			"plain":            {small(33, 17), small(17, 29), as, as},
			"transposed left":  {small(17, 33), small(17, 29), swap, as},
			"transposed right": {small(33, 17), small(29, 17), as, swap},
			"both transposed":  {small(17, 33), small(29, 17), swap, swap},
			"batch":            {small(5, 9, 17), small(5, 17, 11), as, as},
			"one left":         {small(9, 17), small(5, 17, 11), as, as},
			"by a column":      {small(33, 17), small(17, 1), as, as},
			"by a row":         {small(1, 33), small(29, 33), as, swap},
			"batch by a row":   {small(5, 1, 17), small(5, 17, 11), as, as},
		} {
			t.(devicetest.Runner).Run(fmt.Sprintf("%v/%s", dt, name), func(t devicetest.T) {
				got := c.va(c.a.ToDevice(dev)).MatMul(c.vb(c.b.ToDevice(dev))).Float64s()
				for i, want := range c.va(c.a).ToDType(tensor.F64).MatMul(c.vb(c.b).ToDType(tensor.F64)).Float64s() {
					if got[i] != want {
						t.Fatalf("element %d is %v, want %v", i, got[i], want)
					}
				}
			})
		}
	}
	for kind, words := range d.BLAS().Refused {
		t.Errorf("%s: %s", kind, words)
	}
}

// checkFloat8 multiplies small whole numbers in every form that goes to a library for F8E4M3. Only the sums are
// rounded.
func checkFloat8(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	if info := d.BLASLt(); info.Name == "" {
		t.Skip("gorocm's own kernels multiply: ", info.Problem)
	}
	small := func(shape ...int) *tensor.Tensor { return wholeUpTo(3, tensor.F8E4M3, shape...) }
	for name, c := range map[string]struct{ a, b *tensor.Tensor }{
		"columns dense":   {small(33, 48), small(64, 48).T()},
		"rows dense":      {small(33, 48), small(48, 64)},
		"left transposed": {small(48, 33).T(), small(64, 48).T()},
		"long":            {small(33, 1040), small(64, 1040).T()},
		"batch":           {small(5, 9, 48), small(5, 16, 48).T()},
		"one left":        {small(9, 48), small(5, 16, 48).T()},
		"by a row":        {small(1, 48), small(64, 48).T()},
	} {
		t.(devicetest.Runner).Run(name, func(t devicetest.T) {
			place := func(x *tensor.Tensor) *tensor.Tensor { // as it lies on the host
				if x.IsContiguous() {
					return x.ToDevice(dev)
				}
				return x.T().ToDevice(dev).T()
			}
			got := place(c.a).MatMul(place(c.b)).Float64s()
			product := c.a.ToDType(tensor.F64).MatMul(c.b.ToDType(tensor.F64)).ToDType(tensor.F8E4M3)
			for i, want := range product.Float64s() {
				if got[i] != want {
					t.Fatalf("element %d is %v, want %v", i, got[i], want)
				}
			}
		})
	}
	for kind, words := range d.BLASLt().Refused {
		t.Errorf("%s: %s", kind, words)
	}
}
