package kernels_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// closed is geluChain with a reduction of its results.
func closed(op string, rows kernels.FusedRows, b kernels.FusedWalk, t kernels.DType, pack int) *kernels.Fused {
	f := geluChain(b, t, pack)
	f.Close = kernels.FusedClose{Op: op, Rows: rows, Along: b != kernels.FusedDense && rows.Dense()}
	return f
}

// closings are reductions of three kinds, of rows that lie in three ways.
func closings() []*kernels.Fused {
	wide := closed("sum", kernels.DenseRows, kernels.FusedStrided, kernels.F32, 1)
	wide.Wide, wide.Close.Along = true, false
	return []*kernels.Fused{
		closed("sum", kernels.PackedRows, kernels.FusedRepeated, kernels.F16, 8),
		closed("argmin", kernels.PackedColumns, kernels.FusedStrided, kernels.F64, 2),
		wide,
	}
}

// TestClosedArchitectures compiles chains that end in reductions for every architecture.
func TestClosedArchitectures(t *testing.T) {
	thorough.Slow(t)
	archs := []string{"gfx1100", "nvidia", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1151", "gfx1201"}
	for _, arch := range thorough.Sample(archs, len(archs), 0) {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			for _, f := range closings() {
				if _, err := build.Compile(f.Symbol(), fusedSource(t, f), arch); errors.Is(err, build.ErrNoClang) {
					t.Skip(err)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestClosedKeys: a kernel with a reduction has a key of its own.
func TestClosedKeys(t *testing.T) {
	keys, sources := map[string]bool{}, map[string]bool{}
	list := append(closings(), geluChain(kernels.FusedDense, kernels.F32, 4),
		geluChain(kernels.FusedRepeated, kernels.F16, 8))
	for _, op := range []string{"sum", "mean"} {
		for _, rows := range []kernels.FusedRows{kernels.DenseRows, kernels.Columns} {
			list = append(list, closed(op, rows, kernels.FusedStrided, kernels.F32, 1))
		}
	}
	apart := closed("sum", kernels.DenseRows, kernels.FusedStrided, kernels.F32, 1)
	apart.Close.Along = false
	for _, f := range append(list, apart) {
		key, source := string(f.AppendKey(nil)), fusedSource(t, f)
		if keys[key] || sources[source] {
			t.Errorf("%s has the key or the source of another kernel", f.Symbol())
		}
		keys[key], sources[source] = true, true
	}
}

// TestClosedSource: what the kernel of a chain with a reduction looks like.
func TestClosedSource(t *testing.T) {
	f := closed("sum", kernels.PackedRows, kernels.FusedRepeated, kernels.F16, 8)
	source := fusedSource(t, f)
	for _, line := range []string{
		"SUM_OP(sum, f16, f16)\n",
		"  static const Rows ROWS = PACKED_ROWS;\n",
		"    w.places((u32)i, e.at);\n",
		"      x.x1[k] = pack_of<P>(p1 + (i), DENSE);\n",
		"      x.x2[k] = pack_of<P>(p2 + (at[0]), ONE_VALUE);\n",
		"KERNEL fused_mul_add_tanh_mul_add_gelu_sum(const f16* __restrict__ p0, ",
		"  reduce(elements, out, made, l, rows, cols, part);\n",
	} {
		if !strings.Contains(source, line) {
			t.Errorf("no line %q", line)
		}
	}
}
