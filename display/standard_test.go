package display

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestStandardValues: a sync.Map is shown as its entries, a file by its name, and a FileInfo by what it says.
func TestStandardValues(t *testing.T) {
	var m sync.Map
	m.Store("b", 2)
	m.Store("a", 1)
	name := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(name, []byte("twelve bytes"), 0o640); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local)
	if err := os.Chtimes(name, day, day); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	want := Render(map[any]any{"a": 1, "b": 2}).Text()
	if got := Render(&m).Text(); got != want || !strings.Contains(got, "b") {
		t.Errorf("a map: %s, want %s", got, want)
	}
	if got := Render(&sync.Map{}).Text(); got != Render(map[any]any{}).Text() {
		t.Errorf("an empty map: %s", got)
	}
	if got := Render(f).Text(); got != "file "+strconv.Quote(name) {
		t.Errorf("a file: %s", got)
	}
	if got := Render(info).Text(); !strings.HasSuffix(got, " 12 2026-03-04 05:06:07 x.txt") || strings.Contains(got, "{") {
		t.Errorf("a FileInfo: %s", got)
	}
	for _, v := range []any{(*os.File)(nil), (*sync.Map)(nil)} {
		if got := Render(v).Text(); !strings.Contains(got, "nil") {
			t.Errorf("%T of nil: %s", v, got)
		}
	}
}
