package meminfo

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "meminfo")
	if _, ok := Read(file, "MemTotal"); ok {
		t.Error("a file that is not there has a field")
	}
	for text, want := range map[string]int{"": -1, "MemFree: 12 kB\n": -1, "MemAvailable: x kB\n": -1,
		"MemAvailable: -5 kB\n": -1, "MemAvailable:\n": -1, "MemTotal: 5 kB\nMemAvailable:  12 kB\n": 12 << 10} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := Read(file, "MemAvailable"); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}
