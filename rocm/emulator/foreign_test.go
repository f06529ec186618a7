package emulator

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Kernels that use what clang emits for other libraries' sources, and results computed in Go from the descriptions of the instructions.

func randomBytes(n int) []byte {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestRawBuffers(t *testing.T) {
	for _, object := range []string{"foreign", "foreign64"} {
		d := newDevice(t, object, 1)
		const bytes = 150 // some accesses are inside, some outside, and some partly, which are outside as a whole
		mem := randomBytes(1024)
		out := put(d, make([]uint32, 16*64))
		d.mustLaunch("buffer_raw", 1, 64, put(d, mem), out, uint32(bytes))
		got := get[uint32](d, out, 16*64)
		for i := range 64 {
			var want []uint32
			load := func(at, n int) {
				var b [16]byte
				if at >= 0 && at+n <= bytes {
					copy(b[:n], mem[at:])
				}
				for k := range max(n/4, 1) {
					want = append(want, binary.LittleEndian.Uint32(b[4*k:]))
				}
			}
			load(i, 1)
			load(2*i, 2)
			load(4*i, 4)
			// The scalar offset of 8 takes no part in the check.
			if 4*i+8 <= bytes {
				want = append(want, binary.LittleEndian.Uint32(mem[4*i+8:]), binary.LittleEndian.Uint32(mem[4*i+12:]))
			} else {
				want = append(want, 0, 0)
			}
			load(4*i+12, 12)
			load(4*i-16, 16)
			if !slices.Equal(got[16*i:][:12], want) {
				t.Errorf("%s: lane %d loads %#x, want %#x", object, i, got[16*i:][:12], want)
			}
		}
	}
}

func TestRawBufferStores(t *testing.T) {
	for _, object := range []string{"foreign", "foreign64"} {
		d := newDevice(t, object, 1)
		const bytes = 100
		out := put(d, make([]byte, 2200))
		d.mustLaunch("buffer_raw_store", 1, 64, out, uint32(bytes))
		want := make([]byte, 2200)
		le := binary.LittleEndian
		for i := range 64 {
			if i+1 <= bytes {
				want[i] = byte(i + 1)
			}
			if 2*i+2 <= bytes {
				le.PutUint16(want[128+2*i:], uint16(i+0x101))
			}
			if 4*i+4 <= bytes {
				le.PutUint32(want[512+4*i:], uint32(i+0x1010101))
			}
			for k := range 4 {
				if 16*i+16 <= bytes {
					le.PutUint32(want[1024+16*i+4*k:], uint32(i+100*k))
				}
			}
		}
		if got := get[byte](d, out, 2200); !slices.Equal(got, want) {
			t.Errorf("%s: stored %v, want %v", object, got, want)
		}
	}
}

// A descriptor's words, and where lane i, which has index i/4 and offset 4*(i%4), reads in units of bytes; -1 is outside.
var structBuffers = []struct {
	name                  string
	word1, records, flags uint32
	soffset               uint32
	at                    func(wave, i int) int
}{
	{"stride 12, structured", 12 << 16, 5, 0x00004000, 0, func(_, i int) int {
		if i/4 >= 5 || i%4*4+4 > 12 {
			return -1
		}
		return i/4*12 + i%4*4
	}},
	{"stride 12, index only", 12 << 16, 5, 0x10004000, 4, func(_, i int) int {
		if i/4 >= 5 {
			return -1
		}
		return i/4*12 + i%4*4 + 4
	}},
	{"stride 16, only empty buffers are checked", 16 << 16, 1, 0x20004000, 0, func(_, i int) int { return 4 * i }},
	{"empty", 16 << 16, 0, 0x20004000, 0, func(_, i int) int { return -1 }},
	{"stride 20, raw", 20 << 16, 130, 0x30004000, 0, func(_, i int) int {
		if at := i/4*20 + i%4*4; at+4 <= 130 {
			return at
		}
		return -1
	}},
	{"swizzled by 4 bytes in groups of 8", 1<<30 | 16<<16, 14, 0x00004000, 0, func(_, i int) int {
		index, offset := i/4, i%4*4
		if index >= 14 {
			return -1
		}
		return (index/8*16+offset)*8 + index%8*4
	}},
	{"swizzled by 8 bytes in groups of 16", 2<<30 | 16<<16, 14, 0x30004000 | 1<<21, 8, func(_, i int) int {
		index, offset := i/4, i%4*4
		if index >= 14 {
			return -1
		}
		return (offset/8*8)*16 + index*8 + offset%8 + 8
	}},
	{"lane numbers in the index", 8 << 16, 40, 0x00004000 | 1<<23, 0, func(wave, i int) int {
		index, offset := i/4+i%wave, i%4*4
		if index >= 40 || offset+4 > 8 {
			return -1
		}
		return index*8 + offset
	}},
}

func TestStructBuffers(t *testing.T) {
	for object, wave := range map[string]int{"foreign": 32, "foreign64": 64} {
		d := newDevice(t, object, 1)
		mem := randomBytes(2048)
		in, out := put(d, mem), put(d, make([]uint32, 64))
		for _, b := range structBuffers {
			d.mustLaunch("buffer_struct", 1, 64, in, out, b.word1, b.records, b.flags, b.soffset)
			got := get[uint32](d, out, 64)
			zeros := put(d, make([]byte, 2048))
			d.mustLaunch("buffer_struct_store", 1, 64, zeros, b.word1, b.records, b.flags)
			stored, wantStored := get[byte](d, zeros, 2048), make([]byte, 2048)
			for i := range 64 {
				at, want := b.at(wave, i), uint32(0)
				if at >= 0 {
					want = binary.LittleEndian.Uint32(mem[at:])
					binary.LittleEndian.PutUint32(wantStored[at-int(b.soffset):], uint32(i+1))
				}
				if got[i] != want {
					t.Errorf("%s, %s: lane %d loads %#x, want %#x (at %d)", object, b.name, i, got[i], want, at)
				}
			}
			if b.flags>>23&1 == 0 && !slices.Equal(stored, wantStored) { // lanes collide where their numbers are added
				t.Errorf("%s, %s: stored %v, want %v", object, b.name, stored, wantStored)
			}
		}
	}
}

func TestBufferAtomics(t *testing.T) {
	d := newDevice(t, "foreign", 1)
	mem := []uint32{100, 200, 300, 400, math.Float32bits(1), 7, 0, 0}
	counter, out := put(d, mem), put(d, make([]uint32, 128))
	d.mustLaunch("buffer_atomics", 1, 64, counter, out, uint32(24))
	got, olds := get[uint32](d, counter, 8), get[uint32](d, out, 128)
	for i := range 64 {
		if want := mem[i%4]; olds[i] != want {
			t.Errorf("lane %d gets %d, want %d", i, olds[i], want)
		}
		mem[i%4] += uint32(i + 1)
	}
	mem[4], mem[5] = math.Float32bits(33), 0 // the first lane stores its number, which is 0
	if !slices.Equal(got, mem) || olds[64] != 7 || olds[65] != 0 {
		t.Errorf("memory has %v, want %v; the first compare-and-swaps give %v", got, mem, olds[64:66])
	}
	d.mustLaunch("buffer_atomics", 1, 64, counter, out, uint32(8)) // records 2 and 3, and all behind them, are outside
	after, olds := get[uint32](d, counter, 8), get[uint32](d, out, 128)
	if !slices.Equal(after[2:], mem[2:]) || after[0] == mem[0] || olds[2] != 0 || olds[64] != 0 {
		t.Errorf("memory has %v after %v; outside, the old values are %d and %d", after, mem, olds[2], olds[64])
	}
}

func TestScalarBuffers(t *testing.T) {
	d := newDevice(t, "foreign", 1)
	mem := make([]uint32, 64)
	for i := range mem {
		mem[i] = uint32(1000 + i)
	}
	in, out := put(d, mem), put(d, make([]uint32, 5))
	for _, c := range []struct{ word1, records, offset, words uint32 }{
		{0, 256, 16, 64},
		{0, 33, 16, 8}, // bytes; a part of a word counts as outside
		{0, 16, 16, 4}, // all outside
		{8 << 16, 4, 20, 8},
		{0, 4, 0xfffffff0, 1}, // must not wrap around
	} {
		d.mustLaunch("buffer_scalar", 1, 1, in, out, c.word1, c.records, uint32(rawFlags), c.offset)
		for i, got := range get[uint32](d, out, 5) {
			want := uint32(0)
			if at := uint64(c.offset)/4 + uint64(i); at < uint64(c.words) {
				want = mem[at]
			}
			if got != want {
				t.Errorf("%+v: word %d is %d, want %d", c, i, got, want)
			}
		}
	}
}

// rawFlags are a raw buffer's.
const rawFlags = 0x31004000

// TestBufferFaults: inside of what a descriptor says, accesses are checked against allocations; a descriptor of an image is refused.
func TestBufferFaults(t *testing.T) {
	d := newDevice(t, "foreign", 1)
	in, out := put(d, make([]uint32, 16)), put(d, make([]uint32, 64))
	err := d.launch("buffer_struct", 1, 64, in, out, uint32(16<<16), uint32(100), uint32(0), uint32(0))
	fails(t, err, CodeIllegalAddress, "buffer_struct", "outside of every allocation", "64 bytes")
	err = d.launch("buffer_struct", 1, 64, in, out, uint32(16<<16), uint32(100), uint32(8<<28), uint32(0))
	fails(t, err, CodeIllegalAddress, "describe no buffer")
	err = d.launch("buffer_scalar", 1, 1, in, out, uint32(0), uint32(1000), uint32(rawFlags), uint32(200))
	fails(t, err, CodeIllegalAddress, "scalar access")
}

// TestBuffersWatched: the checks of races and of unwritten memory, and profiles, see the accesses.
func TestBuffersWatched(t *testing.T) {
	for _, object := range []string{"foreign", "foreign64"} {
		d := newDevice(t, object, 1)
		d.SetChecks(CheckInit | CheckRaces)
		unwritten, err := d.Malloc(256)
		if err != nil {
			t.Fatal(err)
		}
		out := put(d, make([]uint32, 64))
		err = d.launch("buffer_struct", 1, 64, unwritten, out, uint32(16<<16), uint32(100), uint32(0), uint32(0))
		fails(t, err, CodeLaunchFailure, "nothing has written")
		err = d.launch("buffer_scalar", 1, 1, unwritten, out, uint32(0), uint32(1000), uint32(rawFlags), uint32(0))
		fails(t, err, CodeLaunchFailure, "nothing has written")
		d.StartProfile()
		d.mustLaunch("buffer_struct", 1, 64, put(d, make([]uint32, 64)), out, uint32(16<<16), uint32(10), uint32(0), uint32(0))
		d.mustLaunch("append", 1, 200, put(d, make([]uint32, 512)), put(d, make([]uint32, 2)))
		for _, p := range d.StopProfile() {
			if p.Kernel == "buffer_struct" && p.BytesRead < 40*4 || p.Kernel == "append" && p.LDSRead == 0 {
				t.Errorf("%s: %s read %d bytes, and %d of shared memory", object, p.Kernel, p.BytesRead, p.LDSRead)
			}
		}
	}
}

func TestAppend(t *testing.T) {
	for object, wave := range map[string]int{"foreign": 32, "foreign64": 64} {
		d := newDevice(t, object, 1)
		const threads = 200
		out, total := put(d, make([]uint32, 2*256)), put(d, make([]uint32, 2))
		d.mustLaunch("append", 1, threads, out, total)
		got := get[uint32](d, out, 2*threads)
		more, less := uint32(5), uint32(1000)
		for first := 0; first < threads; first += wave {
			n := uint32(0)
			for i := first; i < min(first+wave, threads); i++ {
				want := [2]uint32{}
				if i%3 == 0 {
					want = [2]uint32{more, less}
					n++
				}
				if [2]uint32(got[2*i:]) != want {
					t.Errorf("%s: work-item %d gets %d, want %d", object, i, got[2*i:][:2], want)
				}
			}
			more, less = more+n, less-n
		}
		if after := get[uint32](d, total, 2); after[0] != more || after[1] != less {
			t.Errorf("%s: counters %v, want %d and %d", object, after, more, less)
		}
	}
}

func TestSharedExchanges(t *testing.T) {
	d := newDevice(t, "foreign", 1)
	out := put(d, make([]uint64, 16*32))
	d.mustLaunch("exchanges", 1, 32, out)
	got := get[uint64](d, out, 16*32)
	for i := range uint64(32) {
		var words [8]uint64
		for k := range words {
			words[k] = 0x100000001 * (32*uint64(k) + i)
		}
		var want []uint64
		low := func(x, y uint64) uint64 { return x&^0xffffffff | y }
		// b32: at offsets 0 and 64*4 bytes, which is word 32 of 8 bytes.
		want = append(want, words[0]&0xffffffff|words[1]<<32)
		words[0], words[1] = low(words[0], i+7), low(words[1], i+9)
		want = append(want, words[2], words[3])
		words[2], words[3] = 0xaaaaaaaabbbbbbbb+i, 0x1111111122222222+i
		want = append(want, words[4]&0xffffffff)
		words[4] = low(words[4], words[4]&0xffffff00|0x1200)
		upper := words[4] >> 32
		want = append(want, upper)
		if upper >= 145 {
			upper -= 145
		} else {
			upper += 7
		}
		words[4] = words[4]&0xffffffff | upper<<32
		want = append(want, words[5])
		if i%2 == 1 {
			words[5] = words[5]&0xffffffff | 5<<32
		} else {
			words[5] = words[5]&^0xffffffff | 8
		}
		float, double := math.Float32bits(1.5), math.Float64bits(2.5)
		if i%2 == 1 { // -0 equals 0
			float = 1 << 31
		}
		want = append(want, uint64(float))
		words[6] = low(words[6], uint64(float))
		if i%2 == 1 {
			words[6] = low(words[6], uint64(math.Float32bits(9)))
		} else {
			double = got[16*i+7] // a NaN, which equals nothing
			if !math.IsNaN(math.Float64frombits(double)) {
				t.Errorf("lane %d: %#x is no NaN", i, double)
			}
		}
		want = append(want, double)
		if words[7] = double; i%2 == 1 {
			words[7] = math.Float64bits(9)
		}
		want = append(want, words[:]...)
		if !slices.Equal(got[16*i:][:16], want) {
			t.Errorf("lane %d: %#x, want %#x", i, got[16*i:][:16], want)
		}
	}
}

func TestSumsOfBytes(t *testing.T) {
	d := newDevice(t, "foreign", 1)
	bytes := randomBytes(64 * 28)
	for i := 64 * 8; i < 64*12; i += 5 {
		bytes[i] = 0 // a masked byte
	}
	a, b, c := bytes[:64*8], bytes[64*8:64*12], bytes[64*12:]
	for i := 3; i < 64*16; i += 48 {
		c[i] = 0x7f // sums that do not fit
		c[i-1], c[i-2], c[i-3] = 0xff, 0xff, 0xff
	}
	out := put(d, make([]uint64, 64*8))
	d.mustLaunch("sums", 1, 64, put(d, a), put(d, b), put(d, c), out)
	got := get[uint64](d, out, 64*8)
	le := binary.LittleEndian
	for i := range 64 {
		x, y, acc := a[8*i:][:8], b[4*i:][:4], c[16*i:][:16]
		var want [6]uint64
		for k := range 4 {
			sum, masked := 0, 0
			for j := range 4 {
				diff := int(x[k+j]) - int(y[j])
				diff = max(diff, -diff)
				sum += diff
				if y[j] != 0 {
					masked += diff
				}
			}
			want[0] |= uint64(uint16(sum)+le.Uint16(acc[2*k:])) << (16 * k)
			want[1] |= uint64(uint16(masked)+le.Uint16(acc[2*k:])) << (16 * k)
			want[2+k/2] |= uint64(uint32(masked)+le.Uint32(acc[4*k:])) << (32 * (k % 2))
		}
		signed, unsigned := int64(int32(le.Uint32(acc))), int64(le.Uint32(acc))
		signed4, unsigned4 := signed, unsigned
		for j := range 4 {
			signed += int64(int8(x[j])) * int64(int8(y[j]))
			unsigned += int64(x[j]) * int64(y[j])
			for _, shift := range []uint{0, 4} {
				p, q := x[j]>>shift&15, y[j]>>shift&15
				signed4 += int64(int8(p<<4)>>4) * int64(q)
				unsigned4 += int64(p) * int64(q)
			}
		}
		clip := func(s int64) uint64 { return uint64(uint32(min(max(s, math.MinInt32), math.MaxInt32))) }
		want[4] = clip(signed)<<32 | uint64(min(unsigned, math.MaxUint32))
		want[5] = clip(signed4)<<32 | uint64(min(unsigned4, math.MaxUint32))
		if !slices.Equal(got[8*i:][:6], want[:]) {
			t.Errorf("lane %d: %#x, want %#x", i, got[8*i:][:6], want)
		}
	}
}

func TestCube(t *testing.T) {
	d := newDevice(t, "foreign", 1)
	points := []float32{1, 2, 3, -1, 2, -3, 5, 2, 3, -5, 2, 3, 1, 7, 3, 1, -7, 3}
	want := []float32{4, 1, -2, 6, 5, 1, -2, -6, 0, -3, -2, 10, 1, 3, -2, -10, 2, 1, 3, 14, 3, 1, -3, -14}
	out := put(d, make([]float32, len(want)))
	d.mustLaunch("cube", 1, 6, put(d, points), out)
	if got := get[float32](d, out, len(want)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
