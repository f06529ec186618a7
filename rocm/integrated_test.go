package rocm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// TestIntegrated: an APU's memory is refused, as if the driver had no more, when the host would run out of it.
func TestIntegrated(t *testing.T) {
	childtest.Run(t, "TestIntegratedChild", append(childtest.FakeHIP(t, "testdata"), "FAKEHIP_INTEGRATED=1")...)
}

func TestIntegratedChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm:0")
	if err != nil {
		t.Fatal(err)
	}
	if !d.Info().Integrated {
		t.Fatalf("%+v", d.Info())
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("meminfo", "MemTotal:       16000000 kB\nMemAvailable:     2560 kB\n") // 2.5 MiB
	pciFolders, memoryInfoFile = dir, filepath.Join(dir, "meminfo")
	alloc := func(bytes int) error {
		b, err := d.Alloc(bytes)
		if err == nil {
			b.Free()
			d.Trim()
		}
		return err
	}
	const mib = 1 << 20
	leastCheckedBytes = mib
	if err := alloc(4 * mib); err != nil {
		t.Errorf("where the GPU's part is not known: %v", err)
	}
	write("0000:03:00.0/mem_info_vram_used", "134217728\n")
	write("0000:03:00.0/mem_info_vram_total", "135266304\n") // 1 MiB is free
	if err := alloc(3 * mib); err != nil {
		t.Errorf("3 of 3.5 MiB: %v", err)
	}
	err = alloc(4 * mib)
	if !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "no room for 4 MiB") ||
		!strings.Contains(err.Error(), "Fake Radeon 0 shares the host's memory: its own part has 1 MiB free, and the host 2.5 MiB") {
		t.Errorf("4 of 3.5 MiB: %v", err)
	}
	if err := alloc(1 << 20); err != nil {
		t.Errorf("work after it: %v", err)
	}
}
