package frame_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame"
)

// FuzzCSV: what is read is written as what reads as the same, and has the fields that encoding/csv finds.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "a\n", "a,b\n1,2\n", "a,b\r\n\"x\"\"y\",\r\n", "\ufeffa\n\n1\n", "a,a\n1,\"\n\"\n", "a,b\n1\n",
		"a\n\"", "a\nx\"y\n", "a,b,c\n1,2.5,2024-01-02\nNA,,2024-01-02T03:04:05.5Z\n", "a\n007\n12345678901234567890\n-0\n+5\n1e400\n",
		"t,f\ntrue,false\n", "a\n2024-02-30\n2024-02-29\n", "x\n1\n1.5\nnan\n", "a,\"b\nc\"\n1,2\n", "a\n1\n2\n\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := frame.DecodeCSV(strings.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := got.EncodeCSV(&out, ','); err != nil {
			t.Fatal(err)
		}
		types := map[string]frame.Type{}
		for i, n := range got.Names() {
			types[n] = got.Types()[i]
		}
		again, err := frame.DecodeCSV(&out, frame.CSVOptions{Types: types})
		if err != nil {
			t.Fatalf("%v: %q", err, out.String())
		}
		same(t, again, got)
		sameFields(t, text, got)
	})
}

// sameFields compares with encoding/csv where that takes the text, too.
func sameFields(t *testing.T, text string, f *frame.Frame) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	records, err := r.ReadAll()
	if err != nil || len(records) == 0 || len(f.Names()) == 1 { // of one column, empty lines are missing values
		return
	}
	names := f.Names()
	all := map[string]frame.Type{}
	for _, n := range names {
		all[n] = frame.String
	}
	f, err = frame.DecodeCSV(strings.NewReader(text), frame.CSVOptions{Types: all})
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != len(records)-1 {
		t.Fatalf("%d rows, encoding/csv has %d", f.Rows(), len(records)-1)
	}
	for i, record := range records[1:] {
		for j, want := range record {
			got, _ := f.Col(names[j]).At(i).(string)
			if strings.ReplaceAll(got, "\r\n", "\n") != strings.ReplaceAll(want, "\r\n", "\n") {
				t.Fatalf("row %d, column %d: %q, encoding/csv has %q", i, j, got, want)
			}
		}
	}
}

// FuzzJSONL: what is read is written as what reads as the same.
func FuzzJSONL(f *testing.F) {
	for _, s := range []string{"", "{}\n", `{"a":1}` + "\n" + `{"a":1.5,"b":"x"}`, `{"a":{"b":[1,2],"c":null}}`, `{"a":true}` + "\n{}\n" + `{"a":null}`,
		`{"a":1}{"a":2}`, `[1]`, `{"a":1e400}`, `{"a":-0}`, `{"a":"\ud800"}`, `{"a":1,"a":2}`, "\ufeff{}", `{"":{"":1}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := frame.DecodeJSONL(strings.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := got.EncodeJSONL(&out); err != nil {
			t.Fatal(err)
		}
		again, err := frame.DecodeJSONL(&out)
		if err != nil {
			t.Fatalf("%v: %q", err, out.String())
		}
		if again.Rows() != got.Rows() {
			t.Fatalf("%d rows, then %d", got.Rows(), again.Rows())
		}
		for _, n := range again.Names() {
			same(t, again.Select(n), got.Select(n))
		}
	})
}

func seeds(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	var own bytes.Buffer
	small := frame.New("a", []any{1, nil}, "b", []string{"x", "y"}, "c", []bool{true, false})
	if err := errorOf(pattern, small, &own); err != nil {
		f.Fatal(err)
	}
	f.Add(own.Bytes())
}

func errorOf(pattern string, f *frame.Frame, w *bytes.Buffer) error {
	if strings.HasSuffix(pattern, ".arrow") {
		return f.EncodeArrow(w)
	}
	return f.EncodeParquet(w)
}

// FuzzParquet: any bytes are a frame or an error.
func FuzzParquet(f *testing.F) {
	seeds(f, "testdata/*.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := frame.DecodeParquet(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			_ = got.String()
		}
	})
}

// TestParquetFooter: no memory is taken for a footer that is larger than the file.
func TestParquetFooter(t *testing.T) {
	var b bytes.Buffer
	if err := frame.New("a", []int64{1}).EncodeParquet(&b); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	data[len(data)-5] = 0xf0 // the highest byte of the footer's size
	_, err := frame.DecodeParquet(bytes.NewReader(data), int64(len(data)))
	if err == nil || !strings.Contains(err.Error(), "parquet: a footer of 40265") {
		t.Errorf("error %v", err)
	}
	if _, err := frame.DecodeParquet(bytes.NewReader(nil), 0); err == nil {
		t.Error("an empty file is a table")
	}
}

// TestParquetLists: lists of more elements than a footer has bytes, and lists in lists without end, are errors at once.
func TestParquetLists(t *testing.T) {
	for want, footer := range map[string]string{
		"unexpected EOF": "\x1a\xf7\xff\xff\xff\xff\x07", // 2³¹ doubles
		"64 deep":        "\x19" + strings.Repeat("\x19", 1<<20),
	} {
		data := binary.LittleEndian.AppendUint32([]byte("PAR1"+footer), uint32(len(footer)))
		data = append(data, "PAR1"...)
		_, err := frame.DecodeParquet(bytes.NewReader(data), int64(len(data)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzArrow: any bytes are a frame or an error.
func FuzzArrow(f *testing.F) {
	seeds(f, "testdata/*.arrow")
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := frame.DecodeArrow(data)
		if err == nil {
			_ = got.String()
		}
	})
}

// FuzzOperations: operations on small tables give what slow loops give.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 5, 255, 9, 9}, []byte{3, 0, 1, 2})
	f.Fuzz(func(t *testing.T, left, right []byte) {
		a, b := bytesFrame(left), bytesFrame(right)
		checkGroups(t, a)
		checkJoin(t, a, b)
		checkSort(t, a)
	})
}

// bytesFrame has a key with ties and missing values, and a number of each row.
func bytesFrame(data []byte) *frame.Frame {
	keys, rows := make([]*int64, len(data)), make([]int, len(data))
	for i, b := range data {
		if rows[i] = i; b%7 != 0 {
			keys[i] = new(int64(b%5) << (8 * (b % 8))) // far from one another, so that they are hashed
		}
	}
	return frame.New("k", keys, "row", rows)
}

func checkGroups(t *testing.T, f *frame.Frame) {
	t.Helper()
	counts, order := map[any]int64{}, []any{}
	for i := range f.Rows() {
		k := f.Col("k").At(i)
		if counts[k]++; counts[k] == 1 {
			order = append(order, k)
		}
	}
	g := f.GroupBy("k").Count()
	if g.Rows() != len(order) {
		t.Fatalf("%d groups, want %d", g.Rows(), len(order))
	}
	for i, k := range order {
		if g.Col("k").At(i) != k || g.Col("count").At(i) != counts[k] {
			t.Fatalf("group %d: %v", i, g.Row(i))
		}
	}
}

func checkJoin(t *testing.T, a, b *frame.Frame) {
	t.Helper()
	var want [][2]any
	matched := map[int]bool{}
	for i := range a.Rows() {
		found := false
		for j := range b.Rows() {
			if k := a.Col("k").At(i); k != nil && k == b.Col("k").At(j) {
				want = append(want, [2]any{int64(i), int64(j)})
				found, matched[j] = true, true
			}
		}
		if !found {
			want = append(want, [2]any{int64(i), nil})
		}
	}
	for j := range b.Rows() {
		if !matched[j] {
			want = append(want, [2]any{nil, int64(j)})
		}
	}
	got := a.Join(b, frame.Outer, "k")
	if got.Rows() != len(want) {
		t.Fatalf("%d rows, want %d", got.Rows(), len(want))
	}
	for i, w := range want {
		if g := [2]any{got.Col("row").At(i), got.Col("row_right").At(i)}; g != w {
			t.Fatalf("row %d: %v, want %v", i, g, w)
		}
	}
}

func checkSort(t *testing.T, f *frame.Frame) {
	t.Helper()
	for _, key := range []frame.SortKey{frame.Asc("k"), frame.Desc("k")} {
		s := f.SortBy(key)
		for i := 1; i < s.Rows(); i++ {
			x, y := s.Col("k").At(i-1), s.Col("k").At(i)
			r, next := s.Col("row").At(i-1).(int64), s.Col("row").At(i).(int64)
			a, isA := x.(int64)
			b, isB := y.(int64)
			if isB && !isA || isA && isB && (key == frame.Asc("k") && a > b || key == frame.Desc("k") && a < b) || x == y && r > next {
				t.Fatalf("rows %d and %d: %v and %v", i-1, i, s.Row(i-1), s.Row(i))
			}
		}
	}
	if err := tensor.Catch(func() error { f.Sort("none"); return nil }); err == nil {
		t.Fatal("no error for a column that is not there")
	}
}
