package gfx9

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// dense are the matrix instructions that are computed.
func dense() (list []*Inst) {
	for _, r := range rows[MAI] {
		if r == nil {
			continue
		}
		if in := (&Inst{Row: r, Matrix: matrices[r.Name]}); in.Why() == "" {
			list = append(list, in)
		}
	}
	return list
}

// encode is a small whole number as a type has it.
func encode(typ string, x int) uint64 {
	switch typ {
	case "f16":
		return uint64(half.ToF16(float32(x)))
	case "bf16":
		return uint64(half.ToBF16(float32(x)))
	case "i8":
		return uint64(uint8(int8(x)))
	case "i32":
		return uint64(uint32(int32(x)))
	case "f64":
		return math.Float64bits(float64(x))
	case "fp8", "bf8": // -4, -2, -1, 0, 1, 2 and 4 alone
		u := uint64(0)
		if x != 0 {
			fraction, bias := 3, 8
			if typ == "bf8" {
				fraction, bias = 2, 16
			}
			u = uint64(int(math.Log2(math.Abs(float64(x))))+bias) << fraction
		}
		if x < 0 {
			u |= 0x80
		}
		return u
	}
	return uint64(math.Float32bits(float32(x)))
}

// set puts a value of a lane into registers.
func set(r []Register, typ string, lane, value int, bits uint64) {
	n := size(typ)
	if n == 8 {
		r[2*value][lane], r[2*value+1][lane] = uint32(bits), uint32(bits>>32)
		return
	}
	r[value*n/4][lane] |= uint32(bits) << (8 * (value * n % 4))
}

// TestProducts multiplies matrices of small numbers by each instruction.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	small := []int{-4, -2, -1, 0, 1, 2, 4}
	for _, in := range dense() {
		m := in.Matrix
		words, wordsA, wordsB := m.Words()
		a, b, c, d := make([]Register, wordsA), make([]Register, wordsB), make([]Register, words), make([]Register, words)
		left, right := make([]int, m.Blocks*m.M*m.K), make([]int, m.Blocks*m.N*m.K)
		for block := range m.Blocks {
			for k := range m.K {
				for i := range m.M {
					x := small[r.IntN(len(small))]
					left[(block*m.M+i)*m.K+k] = x
					lane, value := m.Input(block, i, k)
					set(a, m.A, lane, value, encode(m.A, x))
				}
				for i := range m.N {
					x := small[r.IntN(len(small))]
					right[(block*m.N+i)*m.K+k] = x
					lane, value := m.Input(block, i, k)
					set(b, m.B, lane, value, encode(m.B, x))
				}
			}
		}
		seen := map[string]bool{}
		for lane := range 64 {
			for value := range m.Results() {
				set(c, m.D, lane, value, encode(m.D, lane-7*value))
			}
		}
		m.Multiply(d, a, b, c)
		for lane := range 64 {
			for value := range m.Results() {
				block, row, column := m.Output(lane, value)
				seen[fmt.Sprint(block, row, column)] = true
				want := lane - 7*value
				for k := range m.K {
					want += left[(block*m.M+row)*m.K+k] * right[(block*m.N+column)*m.K+k]
				}
				if got := element(d, m.D, lane, value); got != float64(want) {
					t.Fatalf("%s: value %d of lane %d is %v, want %d", in.Name, value, lane, got, want)
				}
			}
		}
		if len(seen) != m.Blocks*m.M*m.N {
			t.Errorf("%s has %d results, want %d", in.Name, len(seen), m.Blocks*m.M*m.N)
		}
	}
}

// TestLayout is the layout that kernels/matrix.h has.
func TestLayout(t *testing.T) {
	for _, name := range []string{"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16"} {
		m := matrices[name]
		for lane := range 64 {
			for i := range 4 {
				if l, v := m.Input(0, lane%16, lane/16*4+i); l != lane || v != i {
					t.Errorf("%s: value %d of lane %d is value %d of lane %d", name, i, lane, v, l)
				}
				if _, row, column := m.Output(lane, i); row != i+lane/16*4 || column != lane%16 {
					t.Errorf("%s: result %d of lane %d is %d, %d", name, i, lane, row, column)
				}
			}
		}
	}
}

// TestLayoutsAgreeWithAMD compares the layouts of all matrix instructions with those that AMD's matrix instruction
// calculator writes: GOROCM_TEST_MATRIX_CALCULATOR is its file matrix_calculator.py.
func TestLayoutsAgreeWithAMD(t *testing.T) {
	tool := os.Getenv("GOROCM_TEST_MATRIX_CALCULATOR")
	if tool == "" {
		t.Skip("GOROCM_TEST_MATRIX_CALCULATOR names no matrix_calculator.py")
	}
	compared := 0
	for _, in := range dense() {
		m := in.Matrix
		for _, which := range []string{"A", "B", "D"} {
			out, err := exec.Command("python3", tool, "--architecture", "cdna3", "--instruction", in.Name,
				"--register-layout", "--"+which+"-matrix", "--csv").Output()
			if err != nil {
				t.Fatalf("%s: %v", in.Name, err)
			}
			block := -1
			for line := range strings.Lines(string(out)) {
				cells := strings.Split(strings.TrimSpace(line), ",")
				if n, ok := strings.CutPrefix(cells[0], "Block "); ok {
					block, _ = strconv.Atoi(n)
				}
				row, err := strconv.Atoi(cells[0])
				if err != nil || block < 0 {
					continue
				}
				for column, cell := range cells[1:] {
					compared++
					if want := m.place(which, block, row, column); cell != want {
						t.Fatalf("%s: %s[%d][%d] of block %d is in %s, AMD says %s", in.Name, which, row, column, block, want, cell)
					}
				}
			}
		}
	}
	if compared < 10000 {
		t.Errorf("%d elements were compared", compared)
	}
	t.Logf("%d elements", compared)
}

// place writes where an element is as the calculator does: v1{16}.[15:0].
func (m *MFMA) place(which string, block, row, column int) string {
	typ, lane, value := m.D, 0, 0
	switch which {
	case "A":
		typ = m.A
		lane, value = m.Input(block, row, column)
	case "B":
		typ = m.B
		lane, value = m.Input(block, column, row)
	default:
		for l := range 64 {
			for v := range m.Results() {
				if b, i, j := m.Output(l, v); b == block && i == row && j == column {
					lane, value = l, v
				}
			}
		}
	}
	switch n := size(typ); n {
	case 8:
		return fmt.Sprintf("v[%d:%d]{%d}", 2*value+1, 2*value, lane)
	case 4:
		return fmt.Sprintf("v%d{%d}", value, lane)
	default:
		low := 8 * (value * n % 4)
		return fmt.Sprintf("v%d{%d}.[%d:%d]", value*n/4, lane, low+8*n-1, low)
	}
}

// TestFNUZ are the ends of the ranges of the numbers of eight bits.
func TestFNUZ(t *testing.T) {
	for _, test := range []struct {
		x        uint8
		fp8, bf8 float32
	}{
		{0x00, 0, 0},
		{0x01, 0x1p-10, 0x1p-17},
		{0x08, 0x1p-7, 0x1p-14},
		{0x40, 1, 1},
		{0xc0, -1, -1},
		{0x7f, 240, 57344},
		{0xff, -240, -57344},
	} {
		if a, b := FromFP8(test.x), FromBF8(test.x); a != test.fp8 || b != test.bf8 {
			t.Errorf("%#x is %v and %v, want %v and %v", test.x, a, b, test.fp8, test.bf8)
		}
	}
	if a, b := FromFP8(0x80), FromBF8(0x80); a == a || b == b {
		t.Errorf("0x80 is %v and %v, want NaN", a, b)
	}
}

// FuzzDecode: any two words are an instruction with a text, or an error.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(0xd3cd8000), uint32(0x04020d04))
	f.Add(uint32(0x680004f9), uint32(0x00051101))
	f.Fuzz(func(t *testing.T, a, b uint32) {
		in, err := Decode([]uint32{a, b})
		if err == nil && (in.Text() == "" || in.Size < 1 || in.Size > 2) {
			t.Errorf("%08x %08x: %+v", a, b, in)
		}
	})
}
