package gpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// scanLengths are rows that end within, at and after a tile, a batch of 32 tiles and a span of 32 batches.
func scanLengths(dt tensor.DType) []int {
	tile := backend.ScanOps["cumsum"].Tile(dt)
	return []int{8*tile - 3, 8 * tile, 32 * tile, 32*tile + 1, 33 * tile, 70*tile + 5, 1024 * tile, 1025*tile + 7}
}

// steps are whole numbers of which sums are exact, however they are added, and different from tile to tile.
func steps(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i*i%7 - 2)
	}
	return x
}

// TestCumSumOfLongRows: running sums over tiles, whose blocks wait for one another, are those of the host.
func TestCumSumOfLongRows(t *testing.T) {
	thorough.Slow(t)
	for _, spec := range []string{"rocm", "cuda"} {
		for i, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.I64, tensor.U8, tensor.BF16} {
			t.Run(fmt.Sprintf("%s/%v", spec, dt), func(t *testing.T) {
				dev, err := tensor.NewDevice(spec)
				if err != nil {
					t.Skip(err)
				}
				lengths := scanLengths(dt)
				if dev.Emulated() {
					lengths = thorough.Sample(lengths, 3, i)
				}
				for _, n := range lengths {
					if n > 100*backend.ScanOps["cumsum"].Tile(dt) && (dt.Size() < 4 || testing.Short()) {
						continue
					}
					x := tensor.FromSlice(steps(n), n).ToDType(dt)
					if want, got := x.CumSum(0), x.ToDevice(dev).CumSum(0).ToDevice(tensor.CPU()); !alike(got, want) {
						t.Errorf("%d elements: the sums are not the host's", n)
					}
				}
				if dt.Size() < 4 {
					return
				}
				n := 33*backend.ScanOps["cumsum"].Tile(dt) + 5
				columns := tensor.FromSlice(steps(2*n), n, 2).ToDType(dt)
				if want, got := columns.CumSum(0),
					columns.ToDevice(dev).CumSum(0).ToDevice(tensor.CPU()); !alike(got, want) {
					t.Errorf("two columns of %d elements: the sums are not the host's", n)
				}
				rows := columns.Reshape(2, n)
				if want, got := rows.CumSum(1), rows.ToDevice(dev).CumSum(1).ToDevice(tensor.CPU()); !alike(got, want) {
					t.Errorf("two rows of %d elements: the sums are not the host's", n)
				}
			})
		}
	}
}

func alike(x, y *tensor.Tensor) bool { return slices.Equal(x.Float64s(), y.Float64s()) }

// TestCumSumRepeats: the sums of floats, which depend on the order of the additions, have the same bits whichever block
// is first, and in a graph that is replayed.
func TestCumSumRepeats(t *testing.T) {
	thorough.Slow(t)
	onGPUs(t, func(t *testing.T, dev *tensor.Device, d *rocm.Device) {
		times := 5
		if dev.Emulated() && !thorough.On() {
			times = 2
		}
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16} {
			if dev.Emulated() && !thorough.On() && dt != tensor.F32 {
				continue // the tiles of one type wait for each other as those of another
			}
			n := 100 * backend.ScanOps["cumsum"].Tile(dt)
			host := tensor.Randn(n).ToDType(dt)
			other := tensor.Randn(n).ToDType(dt).ToDevice(dev)
			x := host.ToDevice(dev)
			first := bitsOf(x.CumSum(0))
			for range times {
				if !slices.Equal(bitsOf(x.CumSum(0)), first) {
					t.Fatalf("%v: two runs differ", dt)
				}
			}
			var y *tensor.Tensor
			g, err := d.Capture(func() { y = x.CumSum(0) })
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range []*tensor.Tensor{other, host.ToDevice(dev), other} {
				x.SliceSet(of, 0, 0)
				if err := g.Replay(); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(bitsOf(y), bitsOf(of.CumSum(0))) {
					t.Fatalf("%v: a replay differs", dt)
				}
			}
		}
	})
}

func bitsOf(t *tensor.Tensor) []uint64 {
	var bits []uint64
	for _, x := range t.Float64s() {
		bits = append(bits, math.Float64bits(x))
	}
	return bits
}
