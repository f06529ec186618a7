package emulator

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// place is where a matrix of 16 × 16 has the element of a register of a lane.
func place16(wave, register, lane int) (row, col int) { return wave/16*register + lane/16, lane % 16 }

func TestMatricesOfIntegers(t *testing.T) {
	for object, wave := range map[string]int{"foreign": 32, "foreign64": 64} {
		d := newDevice(t, object, 1)
		words := 256 / wave // of C and D, for each lane
		for _, kernel := range []struct {
			name   string
			bits   int
			signed [3][2]bool // A and B, in the order of the kernel's instructions, the last of which clamps
		}{
			{"wmma_iu8", 8, [3][2]bool{{false, false}, {true, false}, {true, true}}},
			{"wmma_iu4", 4, [3][2]bool{{false, false}, {false, true}, {true, true}}},
		} {
			size := 16 * kernel.bits / 8
			a, b := randomBytes(16*size), randomBytes(16*size + 1)[1:]
			r := rand.New(rand.NewPCG(1, 2))
			c := make([]int32, wave*words)
			for i := range c {
				c[i] = int32(r.Uint32()) >> (r.Uint32() % 16)
				if i%5 == 0 { // sums that do not fit
					c[i] = math.MaxInt32 - int32(i)
				} else if i%5 == 1 {
					c[i] = math.MinInt32 + int32(i)
				}
			}
			out := put(d, make([]int32, 3*64*words))
			d.mustLaunch(kernel.name, 1, wave, put(d, a), put(d, b), put(d, c), out)
			got := get[int32](d, out, 3*64*words)
			field := func(m []byte, row, k int, signed bool) int64 {
				x := m[row*size+k*kernel.bits/8]
				if kernel.bits == 4 {
					x = x >> (4 * (k % 2)) << 4
					if !signed {
						return int64(x >> 4)
					}
					return int64(int8(x) >> 4)
				}
				if signed {
					return int64(int8(x))
				}
				return int64(x)
			}
			for n, signed := range kernel.signed {
				for lane := range wave {
					for reg := range words {
						row, col := place16(wave, reg, lane)
						want := int64(c[lane*words+reg])
						for k := range 16 {
							want += field(a, row, k, signed[0]) * field(b, col, k, signed[1])
						}
						if n == 2 {
							want = min(max(want, math.MinInt32), math.MaxInt32)
						}
						if g := got[(64*n+lane)*words+reg]; g != int32(want) {
							t.Fatalf("%s, %s %d: row %d, column %d is %d, want %d", object, kernel.name, n, row, col, g, int32(want))
						}
					}
				}
			}
		}
	}
}

// TestMatricesOfHalves multiplies small whole numbers, of which every sum is exact in all formats.
func TestMatricesOfHalves(t *testing.T) {
	bf16 := func(x float32) uint16 { return uint16(math.Float32bits(x) >> 16) }
	back := func(x uint16) float32 { return math.Float32frombits(uint32(x) << 16) }
	for object, wave := range map[string]int{"foreign": 32, "foreign64": 64} {
		d := newDevice(t, object, 1)
		registers := 256 / wave
		for _, kernel := range []struct {
			name string
			to   func(float32) uint16
			from func(uint16) float32
			wide bool // sums are f32
		}{
			{"wmma_sum_f32", half.ToF16, half.FromF16, true},
			{"wmma_sum_f32_bf16", bf16, back, true},
			{"wmma_sum_f16", half.ToF16, half.FromF16, false},
			{"wmma_sum_bf16", bf16, back, false},
		} {
			r := rand.New(rand.NewPCG(3, 4))
			var a, b [16][16]float32
			var words [2][]uint16
			for i := range 16 {
				for k := range 16 {
					a[i][k], b[i][k] = float32(r.IntN(5)-2), float32(r.IntN(3)-1)
					words[0] = append(words[0], kernel.to(a[i][k]))
					words[1] = append(words[1], kernel.to(b[i][k]))
				}
			}
			c := make([]float32, 2*wave*registers)
			for i := range c {
				c[i] = float32(r.IntN(9) - 4)
			}
			product := func(row, col int) (s float32) {
				for k := range 16 {
					s += a[row][k] * b[col][k]
				}
				return s
			}
			if kernel.wide {
				out := put(d, make([]float32, wave*registers))
				d.mustLaunch(kernel.name, 1, wave, put(d, words[0]), put(d, words[1]), put(d, c[:wave*registers]), out)
				for i, got := range get[float32](d, out, wave*registers) {
					row, col := place16(wave, i%registers, i/registers)
					if want := c[i] + product(row, col); got != want {
						t.Fatalf("%s, %s: row %d, column %d is %v, want %v", object, kernel.name, row, col, got, want)
					}
				}
				continue
			}
			// The kernel adds the product to the lower halves of the registers and then to the upper ones.
			packed := make([]byte, 0, 4*len(c))
			for _, x := range c {
				packed = binary.LittleEndian.AppendUint16(packed, kernel.to(x))
			}
			out := put(d, make([]uint16, len(c)))
			d.mustLaunch(kernel.name, 1, wave, put(d, words[0]), put(d, words[1]), put(d, packed), out)
			for i, got := range get[uint16](d, out, len(c)) {
				lane, reg := i/(2*registers), i%(2*registers)/2
				row, col := place16(wave, reg, lane)
				if want := c[i] + product(row, col); kernel.from(got) != want {
					t.Fatalf("%s, %s: half %d of row %d, column %d is %v, want %v", object, kernel.name, i%2, row, col,
						kernel.from(got), want)
				}
			}
		}
	}
}

// TestMatrixModifiers negates even and odd values of A, and takes the negated absolute value of C.
func TestMatrixModifiers(t *testing.T) {
	// v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[32:39] neg_lo:[1,0,1] neg_hi:[0,0,1]
	for _, test := range []struct {
		words []uint32
		want  float32
	}{
		{[]uint32{0xcc404008, 0x1c823110}, 8*2*3 + 8*5*7 - 4},
		{[]uint32{0xcc404008, 0x3c823110}, -8*2*3 + 8*5*7 - 4},
		{[]uint32{0xcc404108, 0x1c823110}, 8*2*3 - 8*5*7 - 4},
		{[]uint32{0xcc404008, 0x9c823110}, 8*2*3 + 8*5*7 + 4},
		{[]uint32{0xcc404408, 0x1c823110}, 8*2*3 + 8*5*7 + 4},
		{[]uint32{0xcc404408, 0x9c823110}, 8*2*3 + 8*5*7 - 4},
	} {
		v := map[int]uint32{}
		for r := range 8 {
			v[16+r], v[24+r], v[32+r] = f16pair(2, 5), f16pair(3, 7), math.Float32bits(-4)
		}
		w := step(t, test.words, v, nil, allLanes)
		for r := 8; r < 16; r++ {
			if got := fb(w.v[r][r]); got != test.want {
				t.Errorf("%08x: register %d is %v, want %v", test.words, r, got, test.want)
			}
		}
	}
	for _, words := range [][]uint32{
		{0xcc44c208, 0x3c22290a}, // neg_hi of integers
		{0xcc444008, 0x9c22290a}, // neg of integers as C
		{0xcc40c008, 0x1c22290a}, // clamp of floats
		{0xcc404808, 0x1c22290a}, // op_sel of A
		{0xcc406008, 0x1c22290a}, // op_sel of f32
		{0xcc404008, 0x1c220c0a}, // B in scalar registers
		{0xcc426008, 0x1bca290a}, // a constant as the upper halves of C
	} {
		if _, err := decodeWords(words...); err == nil {
			t.Errorf("%08x is taken", words)
		}
	}
}
