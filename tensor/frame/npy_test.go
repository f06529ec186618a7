package frame_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/tensor/frame"
)

// TestNpy: values are those that NumPy has written (testdata/npy.py).
func TestNpy(t *testing.T) {
	data, err := os.ReadFile("testdata/npy/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	frames, used := map[string]*frame.Frame{}, map[string]int{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		file, name, kind, want := fields[0], fields[1], fields[2], fields[3:]
		f := frames[file]
		if f == nil {
			if f, err = frame.ReadNpy("testdata/npy/" + file + ".npy"); err != nil {
				t.Fatal(err)
			}
			frames[file] = f
		}
		if got := f.Names()[used[file]]; got != name {
			t.Fatalf("%s: column %q, want %q", file, got, name)
		}
		used[file]++
		c := f.Col(name)
		if c.Len() != len(want) {
			t.Fatalf("%s: column %q has %d rows, want %d", file, name, c.Len(), len(want))
		}
		for i, w := range want {
			if got := c.At(i); !sameValue(got, w, kind) {
				t.Errorf("%s: row %d of column %q (%v) is %v, want %v", file, i, name, c.Type(), got, w)
			}
		}
	}
	for file, f := range frames {
		if n := len(f.Names()); n != used[file] {
			t.Errorf("%s has %d columns, want %d", file, n, used[file])
		}
	}
	if len(frames) < 12 {
		t.Error(len(frames))
	}
	s := frames["structured"]
	for name, want := range map[string]frame.Type{"name": frame.String, "raw": frame.String, "ok": frame.Bool, "u8": frame.Int64,
		"f2": frame.Float32, "f8": frame.Float64, "month": frame.Date, "day": frame.Date, "half": frame.Timestamp, "in.deep.b": frame.Int64} {
		if got := s.Col(name).Type(); got != want {
			t.Errorf("column %q is of %v, want %v", name, got, want)
		}
	}
}

// sameValue compares a value with how NumPy spells it.
func sameValue(got any, want, kind string) bool {
	switch v := got.(type) {
	case nil:
		return want == "null"
	case float64:
		w, err := strconv.ParseFloat(want, 64)
		return err == nil && (math.Float64bits(v) == math.Float64bits(w) || v != v && w != w)
	case float32:
		w, err := strconv.ParseFloat(want, 64)
		return err == nil && (math.Float32bits(v) == math.Float32bits(float32(w)) || v != v && w != w)
	case bool:
		return strings.EqualFold(fmt.Sprint(v), want)
	case time.Time:
		return v.Format("2006-01-02T15:04:05.000000000") == want
	}
	return fmt.Sprint(got) == want
}

// npyFile is a file with this header and these bytes.
func npyFile(header, data string) []byte {
	return append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(header)), byte(len(header) >> 8)}, header+data...)
}

func npyHeader(descr, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}"
}

func TestNpyMistakes(t *testing.T) {
	many := strings.Repeat("\x00", 64)
	for _, c := range []struct{ descr, shape, data, want string }{
		{"'<c8'", "(1,)", many, `column "values": complex numbers are not read`},
		{"[('a', '<m8[s]')]", "(1,)", many, `column "a": durations`},
		{"'|O'", "(1,)", many, "objects that Python has pickled"},
		{"[('a', '|V4')]", "(1,)", many, "bytes without a meaning"},
		{"'<f16'", "(1,)", many, `type "<f16" are not read`},
		{"'<i12'", "(1,)", many, `type "<i12" are not read`},
		{"'<f48'", "(1,)", many, `type "<f48" are not read`},
		{"'<i3'", "(1,)", many, `type "<i3" are not read`},
		{"'<x4'", "(1,)", many, `type "<x4" are not read`},
		{"'<U-1'", "(1,)", many, `type "<U-1" are not read`},
		{"'<M8'", "(1,)", many, "want a unit"},
		{"'<M8[ps]'", "(1,)", many, "want units from Y to ns"},
		{"'<M8[9999999h]'", "(1,)", many, "at most 1048576 of one"},
		{"'<M8[0s]'", "(1,)", many, "want units from Y to ns"},
		{"'<f4'", "()", many, "is no table"},
		{"'<f4'", "(1, 2, 3)", many, "is no table"},
		{"[('a', '<f4')]", "(1, 2)", many, "is no table"},
		{"'<f4'", "(99999999999,)", many, "rows: at most"},
		{"'<f4'", "(1, 99999999)", many, "limits.Columns.Set"},
		{"'<f4'", "(3, 0)", many, "has no columns"},
		{"[('a', '|S0')]", "(99999999,)", many, "have no bytes"},
		{"[('a', [], (999999999999,))]", "(3,)", many, "limits.Columns.Set"},
		{"[('', '|V9000000'), ('', '|V9000000')]", "(3,)", many, "rows of more than 16777216 bytes"},
		{"[]", "(3,)", many, "has no columns"},
		{"[('a', '<f4', (0, 4))]", "(3,)", many, "no columns"},
		{"'<f8'", "(9,)", many, "ends after 64 of 72 bytes"},
		{"'<U1'", "(1,)", "\x00\xd8\x00\x00", "row 0: 0xd800 is not a character"},
		{"'|S2'", "(2,)", "ab\xff\xfe", "row 1:"},
		{"'<u8'", "(1,)", strings.Repeat("\xff", 8), "is beyond int64"},
		{"'<M8[s]'", "(1,)", "\x00\x00\x00\x00\x00\x00\x00\x10", "is outside what a timestamp holds"},
		{"'<M8[D]'", "(1,)", "\x00\x00\x00\x00\x00\x01\x00\x00", "is outside what a date holds"},
		{"'<f4'", "(1,", "", "npy: the header"},
	} {
		_, err := frame.DecodeNpy(bytes.NewReader(npyFile(npyHeader(c.descr, c.shape), c.data)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want an error with %q", c.descr, c.shape, err, c.want)
		}
	}
	if _, err := frame.DecodeNpy(strings.NewReader("PK")); err == nil || !strings.Contains(err.Error(), "ends after 2 of 8 bytes") {
		t.Error(err)
	}
	if _, err := frame.ReadNpy("nowhere.npy"); err == nil {
		t.Error("a file that is not there")
	}
}

// FuzzNpy: a file of any bytes is an error, or a table whose values can be read.
func FuzzNpy(f *testing.F) {
	for _, file := range []string{"structured", "fortran", "times", "empty"} {
		data, err := os.ReadFile("testdata/npy/" + file + ".npy")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(npyFile(npyHeader("'<M8[25s]'", "(2,)"), strings.Repeat("\x7f", 16)))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := frame.DecodeNpy(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, name := range table.Names() {
			for i := range min(table.Rows(), 100) {
				table.Col(name).At(i)
			}
		}
	})
}
