package repl

import (
	"testing"
	"time"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/rocm/emulator"
)

func TestProfileText(t *testing.T) {
	p := rocm.Profile{Kernel: "sums", Wave: 32, Launches: 2, Blocks: 8, Waves: 16, Lanes: 16 * 32 * 3, Barriers: 8,
		BytesRead: 1 << 20, BytesWritten: 300,
		LDSRead: 64 << 10, LDSWritten: 64, Lines: 12, Conflicts: 5, Time: 3 * time.Millisecond}
	p.Instructions[emulator.VALU], p.Instructions[emulator.LDS] = 48, 16
	q := rocm.Profile{Kernel: "a_longer_name", Launches: 1000, Blocks: 1000, Waves: 1000, Time: 2 * time.Second}
	want := `kernel  launches  blocks  waves  instructions  time
sums           2       8     16            64  3 ms
  VALU 48, LDS 16; 75.0% of lanes on
  global memory: 1.0 MiB read, 300 B written, 12 accesses to lines of 128 B
  shared memory: 64.0 KiB read, 64 B written, 5 bank conflicts, 8 barriers
`
	if got := profileText([]rocm.Profile{p}, true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `kernel         launches  blocks  waves  time
sums                  2       8     16  3 ms
a_longer_name      1000    1000   1000   2 s
`
	if got := profileText([]rocm.Profile{p, q}, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := profileText(nil, true); got != "no kernel ran\n" {
		t.Errorf("got %q", got)
	}
}
