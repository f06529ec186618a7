package tensor_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// deviation is a case in which we differ from Candle on purpose, with what we do instead: an error, or a shape.
type deviation struct {
	reason string
	kind   error
	shape  []int
}

var deviations = map[string]deviation{
	"matmul_tests.zero_matmul_validation.03": {"MatMul broadcasts batch dims", nil, []int{0, 2, 4}},
	"matmul_tests.zero_matmul_validation.04": {"MatMul promotes dtypes", nil, []int{0, 3}},
	"tensor_tests.embeddings.04": {"the largest id of a type is not a sentinel for zeros", tensor.ErrIndex,
		nil},
	"tensor_tests.gather.05": {"the largest id of a type is not a sentinel for zeros", tensor.ErrIndex,
		nil},
	"tensor_tests.scatter.05": {"the largest id of a type is not a sentinel for nothing", tensor.ErrIndex,
		nil},
	"files.fortran.npy":      {"arrays in Fortran order are read", nil, []int{2, 3}},
	"files.bad_be.npy":       {"big-endian arrays are read", nil, []int{2}},
	"files.bad_c16.npy":      {"complex64 is read", nil, []int{2}},
	"files.bad_u2.npy":       {"uint16 is read", nil, []int{2}},
	"files.bad_i1.npy":       {"int8 is read", nil, []int{2}},
	"files.bool.safetensors": {"booleans are read", nil, []int{2}},
	"files.u16.safetensors":  {"unsigned numbers of 16 bits are read as U16", nil, []int{2}},
}

// candlesSum is the sum of integers as Candle has it: of their type. Ours is I64 on purpose, as in PyTorch; the values
// are the same where Candle's do not wrap.
func candlesSum(sum *tensor.Tensor, of tensor.DType) *tensor.Tensor {
	if of.IsInt() {
		if sum.DType() != tensor.I64 {
			fail("a sum of %v has type %v, want i64", of, sum.DType())
		}
		return sum.ToDType(of)
	}
	return sum
}

func (d deviation) check(c conformanceCase, dev *tensor.Device) error {
	var got []*tensor.Tensor
	err := attempt(func() { got = c.run(dev) })
	if !errors.Is(err, d.kind) || err == nil && !slices.Equal(got[0].Dims(), d.shape) {
		return fmt.Errorf("%s: got %v, %v", d.reason, got, err)
	}
	return nil
}

// TestConformance runs the cases in testdata/candle, which are facts from the tests of candle-core and candle-nn, on
// every device. With GOROCM_CASES=folder it runs those in another folder instead. A failing case is a line of its own,
// and the last line for a device counts them. A case whose own note calls it contested fails too, unless it is listed
// as a deviation.
func TestConformance(t *testing.T) {
	thorough.Slow(t)
	folder := os.Getenv("GOROCM_CASES")
	if folder == "" {
		folder = "testdata/candle"
	}
	cases, err := readCases(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev := device(t, spec)
			passed, failed, skipped := 0, 0, 0
			for _, c := range cases {
				switch err := c.check(dev); {
				case errors.Is(err, errSkipped):
					skipped++
					t.Logf("%s: %v", c.ID, err)
				case err != nil:
					failed++
					fmt.Printf("%s: %s: %s\n", spec, c.ID, strings.ReplaceAll(err.Error(), "\n", " "))
				default:
					passed++
				}
			}
			fmt.Printf("%s: %d passed, %d failed, %d skipped\n", spec, passed, failed, skipped)
			if failed > 0 {
				t.Fail()
			}
		})
	}
}

// errSkipped is for a case that needs what the machine lacks.
var errSkipped = errors.New("skipped")

// device opens a device, or skips the test and says why.
func device(t testing.TB, spec string) *tensor.Device {
	t.Helper()
	dev, err := tensor.NewDevice(spec)
	if err != nil {
		t.Skipf("no %s device: %v", spec, err)
	}
	return dev
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
