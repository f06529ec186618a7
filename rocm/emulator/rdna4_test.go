package emulator

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx12"
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// rdna4 compiles a file of testdata for gfx1200.
func rdna4(t *testing.T, clang, file string, more ...string) string {
	t.Helper()
	object := filepath.Join(t.TempDir(), "object")
	args := append([]string{"-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "--no-gpu-bundle-output", "-O3", "-w",
		"-std=c++17", "--offload-arch=gfx1200", filepath.Join("testdata", file), "-o", object}, more...)
	compile(t, clang, args...)
	return object
}

// TestRDNA4Kernels runs the tests of kernels on a gfx1200: its calling convention, calls of functions, memory of all kinds,
// atomic operations, exchanges between lanes, buffer resources, faults.
func TestRDNA4Kernels(t *testing.T) {
	if thorough.Short() {
		t.Skip("compiles kernels")
	}
	clang := findTestClang(t)
	testObjects = map[string]string{
		"kernels": rdna4(t, clang, "kernels.hip", "-D__builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a,b,c)=(c)"),
		"flush":   rdna4(t, clang, "flush.hip", "-fgpu-flush-denormals-to-zero"),
	}
	testArch = GFX1200
	defer func(n int) { hotAfter, testArch, testObjects = n, "", nil }(hotAfter)
	for name, test := range map[string]func(*testing.T){
		"vectors and bytes": TestVectorAndByteAccess, "sum": TestSum, "softmax": TestSoftmax, "product": TestMatMul, "sort": TestSort,
		"dynamic shared memory": TestDynamicSharedMemory, "exchanges": TestCrossLane, "dot4": TestDot4,
		"private memory": TestPrivateMemory, "calls": TestCalls, "generic pointers": TestGenericPointers, "globals": TestGlobals,
		"geometry": TestGeometry, "denormals": TestFlushDenormals, "scan": TestScan, "philox": TestPhilox,
		"global atomics": TestGlobalAtomics, "shared atomics": TestSharedAtomics, "whole loads": TestWholeLoadsAndStores,
		"release and acquire": TestReleaseAndAcquire, "turns": TestWavesTakeTurns, "interrupt": TestInterrupt,
		"parallel launches": TestParallelLaunches, "faults": TestMemoryFaults, "configuration": TestLaunchConfiguration,
	} {
		t.Run(name, func(t *testing.T) {
			for _, hotAfter = range []int{50, 0} { // 0: all code is translated after the first wave
				test(t)
			}
		})
	}
}

// TestRDNA4Matrices multiplies matrices of every type of gfx1200, whose elements are in the lanes that matrix.h names.
func TestRDNA4Matrices(t *testing.T) {
	if thorough.Short() {
		t.Skip("compiles kernels")
	}
	testArch, testObjects = GFX1200, map[string]string{"rdna4": rdna4(t, findTestClang(t), "rdna4.hip")}
	defer func() { testArch, testObjects = "", nil }()
	d := newDevice(t, "rdna4", 1)
	f16 := func(x uint32) float64 { return float64(half.FromF16(uint16(x))) }
	bf16 := func(x uint32) float64 { return float64(half.FromBF16(uint16(x))) }
	fp8 := func(x uint32) float64 { return float64(gfx12.FromE4M3(uint8(x))) }
	bf8 := func(x uint32) float64 { return float64(gfx12.FromE5M2(uint8(x))) }
	signed := func(width int) func(uint32) float64 {
		return func(x uint32) float64 { return float64(int32(x) << (32 - width) >> (32 - width)) }
	}
	plain := func(x uint32) float64 { return float64(x) }
	f32 := func(x uint32) float64 { return float64(fb(x)) }
	i32 := func(x uint32) float64 { return float64(int32(x)) }
	for _, c := range []struct {
		name       string
		k, width   int // values of a row, bits of one
		sum        int // bits of a sum
		a, b, of   func(uint32) float64
		random     func(r *rand.Rand) uint32
		randomSums func(r *rand.Rand) uint32
	}{
		{"f32_16x16x16_f16", 16, 16, 32, f16, f16, f32, smallF16, smallF32},
		{"f32_16x16x16_bf16", 16, 16, 32, bf16, bf16, f32, smallBF16, smallF32},
		{"f16_16x16x16_f16", 16, 16, 16, f16, f16, f16, smallF16, smallF16},
		{"bf16_16x16x16_bf16", 16, 16, 16, bf16, bf16, bf16, oneBF16, oneBF16},
		{"f32_16x16x16_fp8_fp8", 16, 8, 32, fp8, fp8, f32, smallFP8, smallF32},
		{"f32_16x16x16_fp8_bf8", 16, 8, 32, fp8, bf8, f32, smallFP8, smallF32},
		{"f32_16x16x16_bf8_fp8", 16, 8, 32, bf8, fp8, f32, smallFP8, smallF32},
		{"f32_16x16x16_bf8_bf8", 16, 8, 32, bf8, bf8, f32, smallFP8, smallF32},
		{"i32_16x16x16_iu8", 16, 8, 32, signed(8), plain, i32, anyBits, smallI32},
		{"i32_16x16x16_iu4", 16, 4, 32, signed(4), plain, i32, anyBits, smallI32},
		{"i32_16x16x32_iu4", 32, 4, 32, signed(4), plain, i32, anyBits, smallI32},
	} {
		r := rand.New(rand.NewPCG(7, uint64(c.k)))
		var a, b [16][32]uint32
		var sums [16][16]uint32
		for i := range 16 {
			for j := range c.k {
				a[i][j], b[i][j] = c.random(r)&(1<<c.width-1), c.random(r)&(1<<c.width-1)
			}
			for j := range 16 {
				sums[i][j] = uint32(uint64(c.randomSums(r)) & (1<<c.sum - 1))
			}
		}
		place := func(m *[16][32]uint32) []uint32 {
			words := c.k * c.width / 64
			out := make([]uint32, 32*words)
			for l := range 32 {
				for j := range c.k / 2 {
					bit := j * c.width
					out[words*l+bit/32] |= m[l%16][l/16*c.k/2+j] << (bit % 32)
				}
			}
			return out
		}
		perWord := 32 / c.sum
		words := 8 / perWord
		in := make([]uint32, 32*words)
		for l := range 32 {
			for i := range 8 {
				in[words*l+i/perWord] |= sums[i+l/16*8][l%16] << (i % perWord * c.sum)
			}
		}
		out := put(d, make([]uint32, 32*words))
		d.mustLaunch(c.name, 1, 32, put(d, place(&a)), put(d, place(&b)), put(d, in), out)
		got := get[uint32](d, out, 32*words)
		for l := range 32 {
			for i := range 8 {
				row, col := i+l/16*8, l%16
				want := c.of(sums[row][col])
				for k := range c.k {
					want += c.a(a[row][k]) * c.b(b[col][k])
				}
				x := uint32(uint64(got[words*l+i/perWord]>>(i%perWord*c.sum)) & (1<<c.sum - 1))
				if c.of(x) != want {
					t.Errorf("%s: row %d, column %d is %v, want %v", c.name, row, col, c.of(x), want)
				}
			}
		}
	}
}

// Numbers whose products and sums are exact in the type of a sum.
func smallF16(r *rand.Rand) uint32  { return uint32(half.ToF16(float32(r.IntN(17) - 8))) }
func smallBF16(r *rand.Rand) uint32 { return uint32(half.ToBF16(float32(r.IntN(17)-8) / 4)) }
func oneBF16(r *rand.Rand) uint32   { return uint32(half.ToBF16(float32(r.IntN(3) - 1))) }
func smallF32(r *rand.Rand) uint32  { return bf(float32(r.IntN(2001)-1000) / 8) }
func smallI32(r *rand.Rand) uint32  { return uint32(r.IntN(1<<20) - 1<<19) }
func anyBits(r *rand.Rand) uint32   { return r.Uint32() }

// smallFP8 are exponents near 1 of both types.
func smallFP8(r *rand.Rand) uint32 { return 0x34 + uint32(r.IntN(8)) | uint32(r.IntN(2))<<7 }

// TestRDNA4Floats8 compares conversions of f8 with their definitions.
func TestRDNA4Floats8(t *testing.T) {
	for x := range 256 {
		for _, c := range []struct {
			name           string
			f              func(uint8) float32
			exponent, bias int
		}{{"e4m3", gfx12.FromE4M3, 4, 7}, {"e5m2", gfx12.FromE5M2, 5, 15}} {
			m := 7 - c.exponent
			e, frac := x>>m&(1<<c.exponent-1), x&(1<<m-1)
			got := c.f(uint8(x))
			if nan := x&0x7f == 0x7f || c.exponent == 5 && x&0x7f > 0x7c; nan {
				if got == got {
					t.Errorf("%s %#x is %v, not NaN", c.name, x, got)
				}
				continue
			}
			want := float64(frac) / float64(int(1)<<m)
			if e > 0 {
				want++
			} else {
				e = 1
			}
			for range e {
				want *= 2
			}
			for range c.bias {
				want /= 2
			}
			if c.exponent == 5 && x&0x7f == 0x7c {
				want = float64(fb(0x7f800000))
			}
			if x&0x80 != 0 {
				want = -want
			}
			if float64(got) != want {
				t.Errorf("%s %#x is %v, want %v", c.name, x, got, want)
			}
		}
	}
}

// rdna4Wave is a wave of gfx1200 that is about to execute instructions. s2 is 1.5, s3 is -2, s4 is a NaN, s[6:7] and s[8:9]
// are numbers of 64 bits; v2 and v4 depend on the lane.
func rdna4Wave(t *testing.T, words ...uint32) *wave {
	t.Helper()
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	m := &Module{gfx12: true, code: code, text: codeobject.Span{Size: uint64(len(code))}}
	f, err := m.decodeFunction("test", 0, uint64(len(code)), mode{})
	if err != nil {
		t.Fatal(err)
	}
	w := &wave{worker: new(worker), fn: f, code: f.code, denorm: 15}
	w.s[sExec] = allLanes
	w.s[2], w.s[3], w.s[4] = bf(1.5), bf(-2), 0x7fc00000
	w.setPair(6, 0x1_2345_6789)
	w.setPair(8, 0xffff_ffff_0000_0003)
	for i := range w.v[2] {
		w.v[2][i], w.v[4][i] = bf(float32(i)-8), uint32(i)*0x01010101
	}
	return w
}

// TestRDNA4Instructions executes instructions that gfx1200 has and gfx1100 has not. The encodings are LLVM's.
func TestRDNA4Instructions(t *testing.T) {
	const lane5 = 300 // a result in lane 5 of a vector register: its number and this
	left, right := uint64(0x1_2345_6789), uint64(0xffff_ffff_0000_0003)
	for _, test := range []struct {
		asm   string
		words []uint32
		d     int
		want  uint64
	}{
		{"s_add_f32 s10, s2, s3", []uint32{0xa00a0302}, 10, uint64(bf(-0.5))},
		{"s_mul_f32 s10, s2, s3", []uint32{0xa20a0302}, 10, uint64(bf(-3))},
		{"s_fmac_f32 s2, s2, s3", []uint32{0xa3820302}, 2, uint64(bf(-1.5))},
		{"s_fmamk_f32 s10, s2, 0x40000000, s3", []uint32{0xa30a0302, 0x40000000}, 10, uint64(bf(1))},
		{"s_fmaak_f32 s10, s2, s3, 0x40000000", []uint32{0xa28a0302, 0x40000000}, 10, uint64(bf(-1))},
		{"s_min_num_f32 s10, s4, s3", []uint32{0xa10a0304}, 10, uint64(bf(-2))},
		{"s_minimum_f32 s10, s4, s3", []uint32{0xa78a0304}, 10, 0x7fc00000},
		{"s_cvt_i32_f32 s10, s3", []uint32{0xbe8a6603}, 10, 0xfffffffe},
		{"s_ceil_f32 s10, s2", []uint32{0xbe8a6002}, 10, uint64(bf(2))},
		{"s_add_nc_u64 s[10:11], s[6:7], s[8:9]", []uint32{0xa98a0806}, 10, left + right},
		{"s_mul_u64 s[10:11], s[6:7], s[8:9]", []uint32{0xaa8a0806}, 10, left * right},
		{"v_s_rcp_f32 s10, s3", []uint32{0xd684000a, 0x00000003}, 10, uint64(bf(-0.5))},
		{"v_s_sqrt_f32 s10, |s3|", []uint32{0xd688010a, 0x00000003}, 10, uint64(bf(float32(math.Sqrt(2))))},
		{"v_maximum_f32 v0, v2, s4", []uint32{0xd7660000, 0x00000902}, lane5, 0x7fc00000},
		{"v_max_num_f32_e32 v0, s4, v2", []uint32{0x2c000404}, lane5, uint64(bf(-3))},
		{"v_cvt_f32_fp8_e32 v0, v4", []uint32{0x7e00d904}, lane5, uint64(bf(5.0 / 512))},
		{"v_cvt_f32_bf8_e64 v0, v4 byte 2", []uint32{0xd5ed0800, 0x00000104}, lane5, uint64(bf(half.FromF16(0x500)))},
	} {
		w := rdna4Wave(t, test.words...)
		w.step()
		got := uint64(0)
		switch {
		case test.d >= lane5:
			got = uint64(w.v[test.d-lane5][5])
		case strings.Contains(test.asm, "64"):
			got = w.pair(uint16(test.d))
		default:
			got = uint64(w.s[test.d])
		}
		if got != test.want {
			t.Errorf("%s: %#x, want %#x", test.asm, got, test.want)
		}
	}
}

// TestRDNA4Compares compares scalar floats.
func TestRDNA4Compares(t *testing.T) {
	for _, test := range []struct {
		asm  string
		word uint32
		want bool
	}{
		{"s_cmp_nlt_f32 s4, s2", 0xbf4e0204, true}, {"s_cmp_lt_f32 s4, s2", 0xbf410204, false},
		{"s_cmp_lt_f32 s3, s2", 0xbf410203, true}, {"s_cmp_u_f32 s4, s2", 0xbf480204, true},
		{"s_cmp_lg_f32 s3, s2", 0xbf450203, true}, {"s_cmp_lg_f32 s4, s2", 0xbf450204, false},
		{"s_cmp_ge_f16 s2, s3", 0xbf560302, true},
	} {
		w := rdna4Wave(t, test.word)
		w.step()
		if w.scc != test.want {
			t.Errorf("%s: %v", test.asm, w.scc)
		}
	}
}

// TestRDNA4Refuses: what is not emulated is an error that has its name.
func TestRDNA4Refuses(t *testing.T) {
	for name, words := range map[string][]uint32{
		"v_swmmac_f32_16x16x32_f16": {0xcc504000, 0x1c521908}, "v_cvt_pk_fp8_f32": {0xd7690000, 0x00020501},
		"s_barrier_leave": {0xbf950000}, "s_alloc_vgpr": {0xbe805304}, "global_load_tr_b128": {0xee15c07c, 8, 2},
		"buffer_load_format_x": {0xc400007c, 0x1004, 2}, "ds_bpermute_fi_b32": {0xdb340000, 0x08000201},
	} {
		var code []byte
		for _, w := range words {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		m := &Module{gfx12: true, code: code, text: codeobject.Span{Size: uint64(len(code))}}
		_, err := m.decodeFunction("test", 0, uint64(len(code)), mode{})
		fails(t, err, CodeLaunchFailure, name+" is not emulated")
	}
}

// TestRDNA4Barrier: between its signal and its wait, a wave may wait for what another does behind its own wait.
func TestRDNA4Barrier(t *testing.T) {
	if thorough.Short() {
		t.Skip("compiles kernels")
	}
	testArch, testObjects = GFX1200, map[string]string{"rdna4": rdna4(t, findTestClang(t), "rdna4.hip")}
	defer func() { testArch, testObjects = "", nil }()
	d := newDevice(t, "rdna4", 1)
	out := put(d, make([]uint32, 64))
	d.mustLaunch("split_barrier", 1, 64, out)
	for i, x := range get[uint32](d, out, 64) {
		if want := uint32(i%32 + 100*(1-i/32)); x != want {
			t.Fatalf("element %d is %d, want %d", i, x, want)
		}
	}
	err := d.launch("wait_alone", 1, 64, out)
	fails(t, err, CodeLaunchFailure, "waits at a barrier that it has not signalled")
}

// TestRDNA4Unwritten: the check for memory that nothing has written follows halves of results.
func TestRDNA4Unwritten(t *testing.T) {
	if thorough.Short() {
		t.Skip("compiles kernels")
	}
	testArch, testObjects = GFX1200, map[string]string{"rdna4": rdna4(t, findTestClang(t), "rdna4.hip")}
	defer func() { testArch, testObjects = "", nil }()
	d := newDevice(t, "rdna4", 1)
	d.SetChecks(CheckInit)
	out := put(d, make([]uint32, 64))
	d.mustLaunch("own_factor", 1, 64, out)
	for i, x := range get[uint32](d, out, 64) {
		if x != uint32(i) {
			t.Fatalf("element %d is %d", i, x)
		}
	}
}

// TestRDNA4HostCode does what TestHostCode does with instructions of gfx1200.
func TestRDNA4HostCode(t *testing.T) {
	testArch = GFX1200
	defer func() { testArch = "" }()
	TestHostCode(t)
	for name, words := range map[string][]uint32{
		"s_mul_u64 s[10:11], s[6:7], s[8:9]": {0xaa8a0806}, "v_max_num_f32 v0, s4, v2": {0x2c000404},
		"v_lshlrev_b64 v[0:1], 2, v[0:1]": {0x3e000082}, "global_load_b32 v2, v[2:3], off": {0xee05007c, 2, 2},
	} {
		if _, ok := translated(words); !ok {
			t.Errorf("%s is not translated", name)
		}
	}
}

// TestRandomCodeRDNA4 does what TestRandomCode does with instructions of gfx1200's kernels.
func TestRandomCodeRDNA4(t *testing.T) {
	g, err := New(Config{Arch: GFX1200, Memory: 64 << 20, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var list []sample
	for _, kernel := range []string{"matmul_f16", "sum_f32", "sort_tiles_f64", "tanh_bf16", "scatter_add_i64_i64"} {
		object, ok := kernels.FirstObject(kernel, "gfx12-generic")
		o, err := codeobject.Read(object, GFX1200, imageLimit)
		if !ok || err != nil {
			t.Fatal(kernel, err)
		}
		m := newModule(o)
		for _, k := range m.kernels {
			f, err := m.functionAt(k.entry, k.mode())
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range f.code[:len(f.code)-1] {
				var words []uint32
				for at := in.at; at < in.next; at += 4 {
					words = append(words, binary.LittleEndian.Uint32(m.code[at:]))
				}
				list = append(list, sample{words: words})
			}
		}
	}
	if len(list) < 1000 {
		t.Fatalf("%d instructions", len(list))
	}
	object, _ := kernels.FirstObject("fill_b32", "gfx12-generic")
	randomCode(t, g, object, "fill_b32", 500, func(r *rand.Rand, list []sample) []uint32 {
		return randomProgram(r, list, 0xbfb00000)
	}, list)
}

// TestProgramsRDNA4 does what TestPrograms does for gfx1200, and for its waves of 64.
func TestProgramsRDNA4(t *testing.T) {
	testPrograms(t, GFX1200, 32, *programCount/2)
	testPrograms(t, GFX1200, 64, *programCount/4)
}
