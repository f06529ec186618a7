package emulator

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

func randomFloats(n int) []float32 {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32()*4 - 2
	}
	return s
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestVectorAndByteAccess(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	a, b := randomFloats(4*1000), randomFloats(4*1000 + 1)[1:]
	out := put(d, make([]float32, 4000))
	d.mustLaunch("add_vec4", 4, 256, put(d, a), put(d, b), out, int32(1000))
	for i, got := range get[float32](d, out, 4000) {
		if want := a[i] + b[i]; got != want {
			t.Fatalf("add_vec4: element %d is %v, want %v", i, got, want)
		}
	}
	u, v := make([]uint8, 777), make([]uint8, 777)
	for i := range u {
		u[i], v[i] = uint8(i), uint8(3*i)
	}
	out = put(d, make([]uint8, 777))
	d.mustLaunch("add_u8", 4, 256, put(d, u), put(d, v), out, int32(777))
	for i, got := range get[uint8](d, out, 777) {
		if want := u[i] + v[i]; got != want {
			t.Fatalf("add_u8: element %d is %d, want %d", i, got, want)
		}
	}
}

func TestSum(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	const rows, cols = 5, 1013
	a := randomFloats(rows * cols)
	out := put(d, make([]float32, rows))
	d.mustLaunch("sum_f32", rows, 256, put(d, a), out, int32(cols))
	for r, got := range get[float32](d, out, rows) {
		want := 0.0
		for _, x := range a[r*cols:][:cols] {
			want += float64(x)
		}
		near(t, "sum", float64(got), want, 1e-4)
	}
}

func TestSoftmax(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	const rows, cols = 3, 300
	a := randomFloats(rows * cols)
	out := put(d, make([]float32, rows*cols))
	d.mustLaunch("softmax_f32", rows, 256, put(d, a), out, int32(cols))
	got := get[float32](d, out, rows*cols)
	for r := range rows {
		sum := 0.0
		for _, x := range a[r*cols:][:cols] {
			sum += math.Exp(float64(x))
		}
		for c := range cols {
			near(t, "softmax", float64(got[r*cols+c]), math.Exp(float64(a[r*cols+c]))/sum, 1e-6)
		}
	}
}

func TestMatMul(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	const m, n, k = 70, 131, 45 // partial tiles on every side
	a, b := randomFloats(m*k), randomFloats(k*n)
	out := put(d, make([]float32, m*n))
	kernel, err := d.m.Kernel("matmul_f32")
	if err != nil {
		t.Fatal(err)
	}
	args := pack(put(d, a), put(d, b), out, int32(m), int32(n), int32(k))
	if err := d.Launch(kernel, [3]uint32{3, 2, 1}, [3]uint32{256, 1, 1}, 0, args); err != nil {
		t.Fatal(err)
	}
	got := get[float32](d, out, m*n)
	for i := range m {
		for j := range n {
			var want float32
			for l := range k {
				want = bigFMA(a[i*k+l], b[l*n+j], want)
			}
			if got[i*n+j] != want { // the same order of the same operations
				t.Fatalf("element %d, %d is %v, want %v", i, j, got[i*n+j], want)
			}
		}
	}
}

func TestSort(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	const rows, n = 3, 301
	a := randomFloats(rows * n)
	for i := range a {
		a[i] = float32(math.Round(float64(a[i] * 20))) // ties
	}
	out, index := put(d, make([]float32, rows*n)), put(d, make([]int32, rows*n))
	d.mustLaunch("sort_f32", rows, 256, put(d, a), out, index, int32(n))
	keys, order := get[float32](d, out, rows*n), get[int32](d, index, rows*n)
	for r := range rows {
		row := a[r*n:][:n]
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		sort.SliceStable(want, func(i, j int) bool { return row[want[i]] < row[want[j]] })
		if !slices.Equal(order[r*n:][:n], want) {
			t.Errorf("row %d: order is %v, want %v", r, order[r*n:][:n], want)
		}
		if !slices.IsSorted(keys[r*n:][:n]) {
			t.Errorf("row %d is not sorted", r)
		}
	}
}

func TestDynamicSharedMemory(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	a := randomFloats(300)
	out := put(d, make([]float32, 300))
	k, err := d.m.Kernel("reverse_dynamic")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(k, [3]uint32{3, 1, 1}, [3]uint32{100, 1, 1}, 400, pack(put(d, a), out)); err != nil {
		t.Fatal(err)
	}
	for i, got := range get[float32](d, out, 300) {
		if want := a[i/100*100+99-i%100]; got != want {
			t.Fatalf("element %d is %v, want %v", i, got, want)
		}
	}
}

func TestCrossLane(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	a := make([]uint32, 32)
	for i := range a {
		a[i] = uint32(100 + i*i)
	}
	out := put(d, make([]uint32, 320))
	d.mustLaunch("dpp_u32", 1, 32, put(d, a), out)
	got := get[uint32](d, out, 320)
	const old = 7
	rows := []struct {
		name string
		want func(i int) uint32
	}{
		{"row_shr:1", func(i int) uint32 {
			if i%16 == 0 {
				return old
			}
			return a[i-1]
		}},
		{"row_shl:1 bound_ctrl", func(i int) uint32 {
			if i%16 == 15 {
				return 0
			}
			return a[i+1]
		}},
		{"quad_perm", func(i int) uint32 { return a[i^3] }},
		{"row_xmask:3", func(i int) uint32 { return a[i^3] }},
		{"row_mirror bank_mask:0x3", func(i int) uint32 {
			if i%16 >= 8 {
				return old
			}
			return a[i^15]
		}},
		{"dpp8", func(i int) uint32 { return a[i&^7|[]int{4, 5, 6, 7, 0, 1, 2, 3}[i&7]] }},
		{"permlanex16", func(i int) uint32 { return a[i^16] }},
		{"swizzle xor 1", func(i int) uint32 { return a[i^1] }},
		{"readlane 5 + readfirstlane", func(int) uint32 { return a[5] + a[0] }},
		{"bpermute from inactive lanes", func(int) uint32 { return 0 }},
	}
	for k, r := range rows {
		for i := range 32 {
			if g, w := got[32*k+i], r.want(i); g != w {
				t.Errorf("%s: lane %d has %d, want %d", r.name, i, g, w)
			}
		}
	}
}

func TestWMMA(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	var a, b [16][16]uint16 // a by rows, b by columns
	for i := range 16 {
		for j := range 16 {
			a[i][j], b[i][j] = half.ToF16(float32(i-j)/4), half.ToF16(float32(i*j%7)-3)
		}
	}
	out := put(d, make([]float32, 256))
	d.mustLaunch("wmma_f16", 1, 32, put(d, a[:]), put(d, b[:]), out)
	got := get[float32](d, out, 256)
	for l := range 32 {
		for r := range 8 {
			row, col := 2*r+l/16, l%16
			want := float32(0)
			for k := range 16 {
				want += half.FromF16(a[row][k]) * half.FromF16(b[col][k])
			}
			if got[8*l+r] != want {
				t.Errorf("row %d, column %d is %v, want %v", row, col, got[8*l+r], want)
			}
		}
	}
}

func TestDot4(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	a, b := []uint32{0x01020304, 0xff80017f}, []uint32{0x05060708, 0x7f80ff01}
	out := put(d, make([]int32, 2))
	d.mustLaunch("dot4_i8", 1, 64, put(d, a), put(d, b), out, int32(2))
	want := []int32{5 + 12 + 21 + 32, 1 + -127 + 128*128 + -1 + 127}
	if got := get[int32](d, out, 2); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPrivateMemory(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	const n, m = 100, 64
	a := make([]int32, n)
	for i := range a {
		a[i] = int32(i * 7 % 31)
	}
	out := put(d, make([]int32, n))
	d.mustLaunch("scratch_i32", 2, 64, put(d, a), out, int32(n), int32(m))
	for i, got := range get[int32](d, out, n) {
		var buf [64]int32
		for j := range int32(m) {
			buf[(j*5+int32(i))&63] = a[i] + j
		}
		var want int32
		for j := range int32(m) {
			want = want*3 + buf[(a[i]+j)&63]
		}
		if got != want {
			t.Fatalf("element %d is %d, want %d", i, got, want)
		}
	}
}

func TestCalls(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	a := make([]int32, 32)
	for i := range a {
		a[i] = int32(i % 12)
	}
	out := put(d, make([]int32, 64))
	d.mustLaunch("recursive", 1, 32, put(d, a), out)
	fib := []int32{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89}
	for i, got := range get[int32](d, out, 32) {
		if got != fib[a[i]] {
			t.Errorf("fibonacci(%d) = %d, want %d", a[i], got, fib[a[i]])
		}
	}
	d.mustLaunch("indirect_call", 1, 32, put(d, a), out)
	for i, got := range get[int32](d, out, 32) {
		want := 2 * a[i]
		if i%2 == 1 {
			want = a[i] * a[i]
		}
		if got != want {
			t.Errorf("lane %d: got %d, want %d", i, got, want)
		}
	}
}

func TestGenericPointers(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	for which, want := range [][2]int32{{10 + 5, 0}, {10, 5}, {10, 0}} {
		out := put(d, make([]int32, 64))
		d.mustLaunch("generic_pointers", 1, 32, out, int32(which))
		got := get[int32](d, out, 64)
		for i := range 32 {
			if w := want[0] + want[1] + int32(i&3) + 1; got[32+i] != w {
				t.Errorf("pointer kind %d: lane %d sees %d, want %d", which, i, got[32+i], w)
			}
			if w := map[bool]int32{true: 5}[which == 2]; got[i] != w {
				t.Errorf("pointer kind %d: global memory of lane %d has %d, want %d", which, i, got[i], w)
			}
		}
	}
}

func TestGlobals(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	out := put(d, make([]float32, 64))
	d.mustLaunch("globals", 1, 64, out)
	for i, got := range get[float32](d, out, 64) {
		if want := []float32{1, 2, 4, 8}[i%4]; got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	addr, size, err := d.m.Global("total")
	if err != nil || size != 4 {
		t.Fatalf("global total: %d bytes, %v", size, err)
	}
	if got := get[int32](d, addr, 1)[0]; got != 42 {
		t.Errorf("total is %d, want 42", got)
	}
}

func TestGeometry(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	grid, block := [3]uint32{3, 2, 4}, [3]uint32{10, 7, 3}
	var size [3]uint32
	n := uint32(1)
	for i := range size {
		size[i] = grid[i] * block[i]
		n *= size[i]
	}
	out := put(d, make([]uint32, n))
	k, err := d.m.Kernel("geometry")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(k, grid, block, 0, pack(out)); err != nil {
		t.Fatal(err)
	}
	for i, got := range get[uint32](d, out, int(n)) {
		u := uint32(i)
		if want := u%size[0] | u/size[0]%size[1]<<10 | u/size[0]/size[1]<<20; got != want {
			t.Fatalf("element %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestFlushDenormals(t *testing.T) {
	d := newDevice(t, "flush", 1)
	a := make([]float32, 32)
	for i := range a {
		a[i] = float32(math.Ldexp(1.25, -135+i))
	}
	out := put(d, make([]float32, 96))
	d.mustLaunch("flush_f32", 1, 32, put(d, a), out)
	got := get[float32](d, out, 96)
	flush := func(x float32) float32 {
		if math.Abs(float64(x)) < 0x1p-126 {
			return 0
		}
		return x
	}
	for i, x := range a {
		if w := flush(flush(x) * 2); got[i] != w {
			t.Errorf("2*%g = %g, want %g", x, got[i], w)
		}
		if w := flush(flush(x) * 0.5); got[32+i] != w {
			t.Errorf("%g/2 = %g, want %g", x, got[32+i], w)
		}
		if w := 1 / flush(x); got[64+i] != w && !(math.Abs(float64(got[64+i]-w)) < 1e-6*float64(w)) {
			t.Errorf("1/%g = %g, want %g", x, got[64+i], w)
		}
	}
}

func TestScan(t *testing.T) {
	d := newDevice(t, "kernels", 0)
	const rows, n = 3, 201
	a := make([]float32, rows*n)
	for i := range a {
		a[i] = float32(i%9) - 4 // small integers: every order of additions is exact
	}
	out := put(d, make([]float32, rows*n))
	d.mustLaunch("scan_f32", rows, 256, put(d, a), out, int32(n))
	got := get[float32](d, out, rows*n)
	for r := range rows {
		var sum float32
		for i := range n {
			if sum += a[r*n+i]; got[r*n+i] != sum {
				t.Fatalf("row %d: element %d is %v, want %v", r, i, got[r*n+i], sum)
			}
		}
	}
}

func TestPhilox(t *testing.T) {
	d := newDevice(t, "kernels", 1)
	out := put(d, make([]uint32, 8))
	d.mustLaunch("philox", 1, 256, out, uint64(0), uint64(0), int32(6))
	// The first four are the known answer of Random123 for a zero counter and key.
	want := []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}
	got := get[uint32](d, out, 8)
	if !slices.Equal(got[:4], want) {
		t.Errorf("got %#x, want %#x", got[:4], want)
	}
	if got[4] == 0 || got[5] == 0 || got[6] != 0 || got[7] != 0 {
		t.Errorf("6 of 8 numbers asked for, got %#x", got)
	}
}
