package kernels_test

import (
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

// TestFirstFaultStays: of many ids out of range, met by many blocks, the first one's position is reported; a later
// launch that meets some further on leaves it, and one that meets an earlier one does not.
func TestFirstFaultStays(t *testing.T) {
	d := newDevice(t)
	const n, size = 5000, 10
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i % (2 * size)) // half of them are out of range, from 10 on
	}
	good := make([]int64, n)
	late := make([]int64, n)
	late[n-1] = -1
	early := make([]int64, n)
	early[3] = size
	fault := d.put(make([]byte, 8), 0)
	in := d.put(make([]byte, n*4), 0)
	layout := kernels.Layout3{Rank: 1, Flags: kernels.FlagContiguous, Dims: [8]int64{1, 1, 1, 1, 1, 1, 1, 1}}
	for _, c := range []struct {
		name string
		ids  []int64
		want int64 // 1 + the position
	}{{"none", good, 0}, {"many", ids, size + 1}, {"later", late, size + 1}, {"earlier", early, 4}} {
		p := d.put(encode(kernels.I64, c.ids), 0)
		out := d.put(make([]byte, n*4), 0)
		for kernel, launch := range map[string]func(){
			"index_select": func() {
				d.launch("index_select_i64_b32", [3]uint32{20, 1, 1}, p, in, out, int64(1), uint64(1), uint64(size),
					uint64(n), uint64(1), fault)
			},
			"scatter": func() {
				// a Scatter
				d.launch("scatter_i64_b32", [3]uint32{1, 1, 1}, p, in, out, &layout, uint64(1), int64(n), int64(size),
					int64(1), int64(1), int64(1), fault)
			},
		} {
			launch()
			if got := decode[int64](kernels.I64, d.get(fault, 8))[0]; got != c.want {
				t.Errorf("%s, %s: the fault is %d, want %d", kernel, c.name, got, c.want)
			}
		}
	}
}
