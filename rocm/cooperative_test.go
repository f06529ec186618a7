package rocm

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// togetherSource has each block add what the next one has written before the barrier, several times.
const togetherSource = `#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void together(unsigned *x, int rounds, signed char c) {
  cg::grid_group grid = cg::this_grid();
  unsigned b = grid.block_rank(), n = grid.num_blocks();
  for (int r = 0; r < rounds; r++) {
    unsigned next = x[(b + 1) % n];
    grid.sync();
    if (threadIdx.x == 0) x[b] += next;
    cg::sync(grid);
  }
  if (grid.thread_rank() == grid.size() - 1) x[n] = c;
}`

// TestCooperative compares with the sums on the host, on the GPU that is here or the emulated one.
func TestCooperative(t *testing.T) {
	d := withCompiler(t)
	k, err := Compile("together", togetherSource)
	if err != nil {
		t.Fatal(err)
	}
	most, err := k.MaxCooperativeBlocks(d, [3]int{64, 1, 1}, 0)
	if err != nil || most < 1 {
		t.Fatalf("%d blocks, %v", most, err)
	}
	const rounds = 5
	for _, n := range []int{1, 7, most} {
		want := make([]uint32, n)
		raw := make([]byte, 4*n+4)
		for i := range want {
			want[i] = uint32(i*i + 1)
			binary.LittleEndian.PutUint32(raw[4*i:], want[i])
		}
		for range rounds {
			first := want[0]
			for i := range n - 1 {
				want[i] += want[i+1]
			}
			want[n-1] += first
			if n == 1 {
				want[0] = 2 * first
			}
		}
		x := alloc(t, d, len(raw))
		err := errors.Join(x.Upload(0, raw), k.LaunchCooperative([3]int{n, 1, 1}, [3]int{64, 1, 1}, 0, x, rounds, -3), x.Download(raw, 0))
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range append(want, uint32(0xfffffffd)) {
			if got := binary.LittleEndian.Uint32(raw[4*i:]); got != w {
				t.Fatalf("%d blocks: element %d is %d, want %d", n, i, got, w)
			}
		}
	}
	x := alloc(t, d, 4*most+8)
	err = k.LaunchCooperative([3]int{most + 1, 1, 1}, [3]int{64, 1, 1}, 0, x, 1, 0)
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "more blocks than can run at the same time") {
		t.Errorf("a block too many: %v", err)
	}
	if err := k.LaunchCooperative([3]int{1 << 30, 1 << 30, 16}, [3]int{1, 1, 1}, 0, x, 1, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("very many blocks: %v", err)
	}
	if err := k.LaunchCooperative([3]int{0, 1, 1}, [3]int{64, 1, 1}, 0, x, 1, 0); !errors.Is(err, ErrInvalid) {
		t.Errorf("no blocks: %v", err)
	}
	if err := k.LaunchCooperative([3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, x, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("an argument is missing: %v", err)
	}
	if g, err := d.Capture(func() {
		if err := k.LaunchCooperative([3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, x, 1, 0); !errors.Is(err, ErrInvalid) {
			t.Errorf("captured: %v", err)
		}
	}); err == nil {
		g.Free()
	}
}

// TestCooperativeInterrupted: the barrier of a launch that has failed does not stop the next one.
func TestCooperativeInterrupted(t *testing.T) {
	d := withCompiler(t)
	if !d.Emulated() {
		t.Skip("a real GPU is lost after a fault")
	}
	k, err := Compile("unequal", `#include <hip/hip_cooperative_groups.h>
__global__ void unequal(unsigned *x, int bad) {
  if (blockIdx.x == bad) x[1 << 20] = 1;
  cooperative_groups::this_grid().sync();
  x[blockIdx.x] = 7;
}`)
	if err != nil {
		t.Fatal(err)
	}
	x := alloc(t, d, 16)
	grid, block := [3]int{4, 1, 1}, [3]int{32, 1, 1}
	if err := k.LaunchCooperative(grid, block, 0, x, 2); !errors.Is(err, ErrFault) {
		t.Errorf("a block with a fault: %v", err)
	}
	if err := k.LaunchCooperative(grid, block, 0, x, -1); err != nil {
		t.Errorf("after a fault: %v", err)
	}
}

// TestCooperativeHIP has the stand-in check the addresses of arguments.
func TestCooperativeHIP(t *testing.T) {
	thorough.Slow(t)
	childtest.Run(t, "TestCooperativeHIPChild", childtest.FakeHIP(t, "testdata")...)
}

func TestCooperativeHIPChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var inject func(name string, code, times int32)
	standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
	k, err := Compile("together", "__global__ void together(float *x, float a, signed char b, double c, unsigned d) { /* void together( */ x[0] = 1; }")
	if err != nil {
		t.Fatal(err)
	}
	block := [3]int{64, 1, 1}
	if n, err := k.MaxCooperativeBlocks(d, block, 0); n != 96 || err != nil {
		t.Errorf("%d blocks, %v", n, err)
	}
	if n, err := k.MaxCooperativeBlocks(d, [3]int{512, 1, 1}, 0); n != 48 || err != nil {
		t.Errorf("%d blocks of 512, %v", n, err)
	}
	x := alloc(t, d, 64)
	launch := func(n int) error { return k.LaunchCooperative([3]int{n, 1, 1}, block, 0, x, 1.5, -7, 2.25, n) }
	if err := launch(96); err != nil || floatsOf(t, x)[0] != 42 {
		t.Errorf("launched: %v", err)
	}
	want := "rocm: launch together: a cooperative launch of grid [97 1 1] has more blocks than can run at the same time: " +
		"rocm:0 runs 96 of 64 threads: launch fewer, and let each do several parts in a loop"
	if err := launch(97); err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	inject("hipModuleLaunchCooperativeKernel", 720, 1)
	if err := launch(96); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "(720)") || !strings.Contains(err.Error(), "grid [96 1 1] of blocks of [64 1 1] threads") {
		t.Errorf("refused by the driver: %v", err)
	}
}
