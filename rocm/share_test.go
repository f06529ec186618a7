package rocm

import (
	"errors"
	"strings"
	"testing"
)

func TestMemoryShare(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  string
	}{
		{"", 0, ""}, {"25%", 1 << 28, ""}, {" 50 % ", 1 << 29, ""}, {"64MiB", 64 << 20, ""}, {"4GiB", 1 << 30, ""},
		{"100%", 1 << 30, ""}, {"0%", 0, "percentage"}, {"101%", 0, "percentage"}, {"NaN%", 0, "percentage"},
		{"much", 0, "not a size"},
		{"-1", 0, "not a size"},
	} {
		t.Setenv(shareVariable, c.text)
		got, err := memoryShare(1 << 30)
		if got != c.want || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %d, error %v; want %d, %q", c.text, got, err, c.want, c.err)
		}
	}
}

// TestShareOfDevice: beyond a process's share of a device, unused and dropped memory is given back, and then
// allocations fail, as they do when the device is full.
func TestShareOfDevice(t *testing.T) {
	t.Setenv(shareVariable, "50%")
	f := newFake(128 << 10)
	d := f.device(t, 0)
	if m := d.Memory(); m.Total != 64<<10 || m.Free != 64<<10 {
		t.Errorf("%+v", m)
	}
	alloc(t, d, 40<<10).Free()
	drop(t, d, 4, 8<<10)
	b := alloc(t, d, 60<<10) // in the place of both
	_, err := d.Alloc(8 << 10)
	want := shareVariable + " limits this process to 64 KiB"
	if !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	if m := d.Memory(); m.Total != 64<<10 || m.Free != m.Total-m.Reserved || f.used > 64<<10 {
		t.Errorf("%+v, %d bytes of the driver", m, f.used)
	}
	b.Free()
	t.Setenv(shareVariable, "all")
	_, err = newDevice(f.driver(), Info{TotalMemory: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), shareVariable) {
		t.Errorf("error %v", err)
	}
}

// TestShareIsCountedFirst: what is about to be asked of the driver counts already.
func TestShareIsCountedFirst(t *testing.T) {
	p := &pool{share: 100}
	if err := p.reserve(60); err != nil {
		t.Fatal(err)
	}
	if err := p.reserve(60); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("more than the share: %v", err)
	}
	p.unreserve(60)
	if err := p.reserve(100); err != nil {
		t.Error(err)
	}
}
