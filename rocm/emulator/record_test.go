package emulator

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/recording"
)

// TestRecord: two launches of a kernel become files with the memory that its arguments point to, before and after.
func TestRecord(t *testing.T) {
	d := newDevice(t, "races", 2)
	in := make([]float32, 64)
	for i := range in {
		in[i] = float32(i)
	}
	x, y, other := put(d, in), put(d, make([]float32, 64)), put(d, in)
	dir := filepath.Join(t.TempDir(), "new")
	if err := d.Record(dir); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		d.mustLaunch("with_barrier", 1, 64, x, y)
	}
	if err := d.Record(""); err != nil {
		t.Fatal(err)
	}
	d.mustLaunch("unwritten", 1, 64, other)
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || fmt.Sprint(files) !=
		fmt.Sprint([]string{filepath.Join(dir, "with_barrier-0.zip"), filepath.Join(dir, "with_barrier-1.zip")}) {
		t.Fatal(files, err)
	}
	z, err := zip.OpenReader(filepath.Join(dir, "with_barrier-0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	read := func(name string) []byte {
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var r recording.Launch
	if err := json.Unmarshal(read("launch.json"), &r); err != nil {
		t.Fatal(err)
	}
	if r.Kernel != "with_barrier" || r.Arch != GFX1100 || r.Wave != 32 || r.Block != [3]uint32{64, 1, 1} || r.Instructions == 0 ||
		len(r.Memory) != 4 || r.Memory[2].Addr != x || r.Memory[3].Addr != y || r.Memory[3].Size != 256 {
		t.Errorf("%+v", r)
	}
	if s := r.Scalars; !slices.Contains(s, uint32(r.Arguments)) {
		t.Errorf("scalar registers %v have no address of the arguments, %#x", s, r.Arguments)
	}
	name := func(when string, addr uint64) string { return fmt.Sprintf("%s-%x", when, addr) }
	if got := read(name("before", x)); !slices.Equal(got, bytesOf(in)) {
		t.Errorf("x was %v", got)
	}
	if got := read(name("before", y)); !slices.Equal(got, make([]byte, 256)) {
		t.Errorf("y was %v", got)
	}
	if got := read(name("after", y)); !slices.Equal(got, bytesOf(get[float32](d, y, 64))) {
		t.Errorf("y became %v", got)
	}
	for _, absent := range []string{name("after", x), name("before", other)} {
		if f, err := z.Open(absent); err == nil {
			f.Close()
			t.Errorf("there is %s", absent)
		}
	}
}

// TestRecordFails: a folder that cannot be made is an error.
func TestRecordFails(t *testing.T) {
	d := newDevice(t, "races", 1)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Record(filepath.Join(file, "folder")); err == nil {
		t.Error("no error")
	}
}
