package gpu_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestScanState: scans leave the state as the next one wants it, whatever its shape, also when the number of scans
// begins anew; and a state of their own, for those that need a large one, makes no difference.
func TestScanState(t *testing.T) {
	thorough.Slow(t)
	onGPUs(t, func(t *testing.T, dev *tensor.Device, d *rocm.Device) {
		state, err := d.ScanState()
		if err != nil {
			t.Fatal(err)
		}
		long := dev.Randn(tensor.F32, 40*backend.ScanOps["cumsum"].Tile(tensor.F32)+3)
		rows := dev.Randn(tensor.F32, 5, 9*backend.ScanOps["cumsum"].Tile(tensor.F32))
		want := append(long.CumSum(0).Float64s(), rows.CumSum(1).Float64s()...)
		same := func(what string) {
			t.Helper()
			if !slices.Equal(append(long.CumSum(0).Float64s(), rows.CumSum(1).Float64s()...), want) {
				t.Errorf("%s: the sums differ", what)
			}
		}
		// turns returns how many scans there were; the half that counts tiles is 0 between them.
		turns := func() uint32 {
			t.Helper()
			var word [8]byte
			if err := state.Download(word[:], 0); err != nil {
				t.Fatal(err)
			}
			if taken := binary.LittleEndian.Uint32(word[:]); taken != 0 {
				t.Errorf("%d turns are left", taken)
			}
			return binary.LittleEndian.Uint32(word[4:])
		}
		before := turns()
		for range 3 {
			same("repeated")
		}
		if after := turns(); after != before+6 {
			t.Errorf("%d scans were counted, want 6", after-before)
		}
		all := make([]byte, state.Len())
		binary.LittleEndian.PutUint32(all[4:], 1<<32-2) // one before the first
		if err := state.Upload(0, all); err != nil {
			t.Fatal(err)
		}
		same("across the overflow of the counter")
		if after := turns(); after != 1 {
			t.Errorf("after the overflow, %d scans were counted, want 1", after)
		}
		defer gpu.ShareScanState(gpu.ShareScanState(0))
		same("states of their own")
		if after := turns(); after != 1 {
			t.Errorf("%d scans shared the state", after-1)
		}
	})
}
