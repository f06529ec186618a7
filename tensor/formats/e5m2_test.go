package formats

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestE5M2: all 256 bytes have the values of 5 bits of exponent and 2 of mantissa.
func TestE5M2(t *testing.T) {
	header := `{"x":{"dtype":"F8_E5M2","shape":[256],"data_offsets":[0,256]}}`
	data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for i := range 256 {
		data = append(data, byte(i))
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := ReadSafetensors(path, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	if dt := list[0].Tensor.DType(); dt != tensor.F16 {
		t.Fatalf("it is read as %v", dt)
	}
	for i, got := range list[0].Tensor.Float64s() {
		exp, m := i>>2&31, float64(i&3)
		want := math.Ldexp(4+m, exp-17)
		switch {
		case exp == 31 && m == 0:
			want = math.Inf(1)
		case exp == 31:
			want = math.NaN()
		case exp == 0:
			want = math.Ldexp(m, -16)
		}
		if i > 127 {
			want = -want
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("byte %02x is %g, want %g", i, got, want)
		}
	}
}
