package emulator

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/profile"
)

func TestProfile(t *testing.T) {
	d := newDevice(t, "races", 2)
	x, y := put(d, make([]float32, 256)), put(d, make([]float32, 256))
	d.mustLaunch("with_barrier", 2, 64, x, y)
	d.StartProfile()
	for range 3 {
		d.mustLaunch("with_barrier", 2, 64, x, y)
	}
	d.mustLaunch("unwritten", 1, 64, y)
	list := d.StopProfile()
	if len(list) != 2 || list[0].Kernel != "unwritten" || list[1].Kernel != "with_barrier" {
		t.Fatalf("profile %+v", list)
	}
	p := list[1]
	got := fmt.Sprint(p.Launches, p.Blocks, p.Waves, p.Barriers, p.Instructions[LDS], p.Instructions[VMEM], p.BytesRead, p.BytesWritten, p.LDSRead, p.LDSWritten, p.Lines, p.Conflicts)
	// 12 waves each load 32 words, store them, load them and store them, and read the kernel's two arguments once.
	if want := fmt.Sprint(3, 6, 12, 6, 24, 24, 12*(128+16), 12*128, 12*128, 12*128, 12*(1+1+1), 0); got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	if u := p.Utilisation(); u != 1 {
		t.Errorf("utilisation %v", u)
	}
	if u := list[0].Utilisation(); u >= 1 || u <= 0.5 {
		t.Errorf("utilisation of the kernel with a branch: %v", u)
	}
	if p.Time <= 0 || p.Executed() == 0 {
		t.Errorf("profile %+v", p)
	}
	if again := d.StopProfile(); len(again) != 0 {
		t.Errorf("stopped, and yet %+v", again)
	}
}

// TestBankConflicts has lanes want words of one bank, of different ones, and the same word.
func TestBankConflicts(t *testing.T) {
	tests := []struct {
		stride uint64 // bytes from lane to lane
		size   uint32
		want   uint64
	}{{4, 4, 0}, {0, 4, 0}, {8, 4, 1}, {128, 4, 31}, {132, 4, 0}, {8, 8, 0}, {16, 16, 0}, {128, 16, 4 * 7}}
	for _, test := range tests {
		var addr wide
		for i := range addr {
			addr[i] = uint64(i) * test.stride
		}
		if got := profile.Conflicts(&addr, allLanes, test.size); got != test.want {
			t.Errorf("%d bytes, stride %d: %d conflicts, want %d", test.size, test.stride, got, test.want)
		}
	}
}
