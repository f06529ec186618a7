package devicetest_test

import (
	"flag"
	"os"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

var update = flag.Bool("update", false, "rewrite the table of types for docs/ops.md")

// TestSupport compares the table in docs/ops.md with what works.
func TestSupport(t *testing.T) {
	if !thorough.On() && !*update {
		t.Skip("tries every operation on every type: set GOROCM_TEST=thorough; .ci/run writes the table anew")
	}
	const path = "../../internal/gen/kernels/build/types.md"
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	table := devicetest.SupportTable(t, dev)
	if *update {
		if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != table {
		t.Errorf("%s is not what works (%v): run go generate ./tensor/devicetest", path, err)
	}
	if cuda, err := tensor.NewDevice("cuda"); err == nil && devicetest.SupportTable(t, cuda) != table {
		t.Errorf("what works on %v differs", cuda)
	}
}
