package frame_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/frame"
)

// types writes the types of a frame's columns.
func types(f *frame.Frame) string { return strings.Trim(fmt.Sprint(f.Types()), "[]") }

// TestInference: one column of these values has this type, and the values that are given.
func TestInference(t *testing.T) {
	for _, test := range []struct{ values, typ, want string }{
		{"1|2|-3", "int64", "1 2 -3"},
		{"1|2.5|", "float64", "1 2.5 <nil>"},
		{"1|NA|N/A|n/a|null|NULL|None", "int64", "1 <nil> <nil> <nil> <nil> <nil> <nil>"},
		{"x|NA|", "string", "x NA <nil>"},
		{"NA|NA", "string", "<nil> <nil>"},
		{`""|x`, "string", " x"},
		{`""|1`, "int64", "<nil> 1"},
		{"007|1", "string", "007 1"},
		{"-07|1.5", "string", "-07 1.5"},
		{"0|0.5|-0.25|.5|5.|1e3", "float64", "0 0.5 -0.25 0.5 5 1000"},
		{"+5|6", "string", "+5 6"},
		{"+5.5|6", "float64", "5.5 6"},
		{"9223372036854775807|-9223372036854775808", "int64", "9223372036854775807 -9223372036854775808"},
		{"9223372036854775808|1", "string", "9223372036854775808 1"},
		{"1.5|9223372036854775808", "float64", "1.5 9.223372036854776e+18"},
		{"9223372036854775808|1.5", "float64", "9.223372036854776e+18 1.5"},
		{"-0|1", "float64", "-0 1"},
		{"nan|NaN|1|inf|-Infinity", "float64", "NaN NaN 1 +Inf -Inf"},
		{"1e400|1", "string", "1e400 1"},
		{"0x10|1", "string", "0x10 1"},
		{"1_000|1", "string", "1_000 1"},
		{"1,|1", "string", "1, 1"},
		{" 1 | 2", "int64", "1 2"},
		{"true|False|TRUE|", "bool", "true false true <nil>"},
		{"true|1", "string", "true 1"},
		{"t|f", "string", "t f"},
		{"2024-02-29|1899-12-31", "date", "2024-02-29 00:00:00 +0000 UTC 1899-12-31 00:00:00 +0000 UTC"},
		{"2023-02-29|2024-01-01", "string", "2023-02-29 2024-01-01"},
		{"2024-01-01|2024-01-01 10:00", "timestamp", "2024-01-01 00:00:00 +0000 UTC 2024-01-01 10:00:00 +0000 UTC"},
		{"2024-01-01T10:00:00.123456789", "timestamp", "2024-01-01 10:00:00.123456789 +0000 UTC"},
		{"2024-01-01T10:00:00Z|2024-01-01T10:00:00+02:00", "timestamp", "2024-01-01 10:00:00 +0000 UTC 2024-01-01 08:00:00 +0000 UTC"},
		{"2024-01-01T10:00:00Z|2024-01-01T10:00:00", "string", "2024-01-01T10:00:00Z 2024-01-01T10:00:00"},
		{"9999-12-31 00:00:00|2024-01-01 00:00:00", "string", "9999-12-31 00:00:00 2024-01-01 00:00:00"},
		{"9999-12-31|2024-01-01", "date", "9999-12-31 00:00:00 +0000 UTC 2024-01-01 00:00:00 +0000 UTC"},
		{"2024-01-01 24:00", "string", "2024-01-01 24:00"},
		{"01/02/2024", "string", "01/02/2024"},
	} {
		var text strings.Builder
		text.WriteString("a;b\n")
		for v := range strings.SplitSeq(test.values, "|") {
			text.WriteString(v + ";.\n")
		}
		f, err := frame.DecodeCSV(strings.NewReader(text.String()), frame.CSVOptions{Comma: ';', Columns: []string{"a"}})
		if err != nil {
			t.Errorf("%s: %v", test.values, err)
			continue
		}
		var got []string
		for i := range f.Rows() {
			got = append(got, fmt.Sprint(f.Col("a").At(i)))
		}
		if types(f) != test.typ || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s %q, want %s %q", test.values, types(f), strings.Join(got, " "), test.typ, test.want)
		}
	}
}

// TestCSVRefuses: an error says the line and the column.
func TestCSVRefuses(t *testing.T) {
	ints := map[string]frame.Type{"a": frame.Int64}
	for _, test := range []struct {
		text    string
		options frame.CSVOptions
		want    string
	}{
		{"", frame.CSVOptions{}, "csv: no lines: want a header"},
		{"a,b\n1,2\n3\n", frame.CSVOptions{}, "csv: line 3: 1 fields: want 2, as the header has"},
		{"a,b\n1,2,3\n", frame.CSVOptions{}, "csv: line 2: 3 fields: want 2, as the header has"},
		{"a,b\n\"x\ny\",2\nq,\"r\" s\n", frame.CSVOptions{}, "csv: line 4: text after a closing quote"},
		{"a,b\n1,x\"y\n", frame.CSVOptions{}, "csv: line 2: a quote inside a field"},
		{"a,b\n1,2\n\"x,3\n4,5\n", frame.CSVOptions{}, "csv: line 3: a quote that is not closed"},
		{"a,b\n1,2\n\nx,3\n", frame.CSVOptions{Types: ints}, `csv: line 4, column "a": "x" is not a int64`},
		{"a\n1.0\n", frame.CSVOptions{Types: ints}, `csv: line 2, column "a": "1.0" is not a int64`},
		{"alpha,b\n1,2\n", frame.CSVOptions{Columns: []string{"alhpa"}}, `csv: no column "alhpa": the columns are "alpha", "b"; did you mean "alpha"?`},
		{"a,b\n", frame.CSVOptions{Columns: []string{"a", "a"}}, `csv: column "a" is chosen twice`},
		{"a,b\n", frame.CSVOptions{Names: []string{"x"}}, "csv: 1 names for 2 columns"},
		{"a\n", frame.CSVOptions{Comma: '"'}, `csv: '"' cannot separate fields`},
		{"a,b\n1,x\n2,caf\xe9\n", frame.CSVOptions{}, `csv: line 3, column "b": "caf\xe9": text that is not UTF-8`},
		{"\xffa,b\n", frame.CSVOptions{}, `csv: the name "\xffa": text that is not UTF-8`},
		{"a;b\n1;2\n", frame.CSVOptions{}, `csv: line 1 is one field, "a;b": want frame.CSVOptions{Comma: ';'}, or Comma: ',' if it is one`},
		{"\"a\";\"b\"\n1;2\n", frame.CSVOptions{}, "csv: line 1: text after a closing quote: want frame.CSVOptions{Comma: ';'} if"},
		{"a\tb\n1\t2\n", frame.CSVOptions{}, `csv: line 1 is one field, "a\tb": want frame.CSVOptions{Comma: '\t'}`},
		{"1;2\n3;4\n", frame.CSVOptions{NoHeader: true}, `csv: line 1 is one field, "1;2"`},
		{"a,b\n", frame.CSVOptions{Names: []string{"x", "x"}}, `csv: two columns are named "x"`},
		{"a\n", frame.CSVOptions{Skip: 3}, "csv: fewer lines than CSVOptions.Skip"},
	} {
		_, err := frame.DecodeCSV(strings.NewReader(test.text), test.options)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// TestCSVOfWords: texts that are words for missing values, and empty ones, are read again as what they were.
func TestCSVOfWords(t *testing.T) {
	for _, values := range [][]any{{"", ""}, {"NA", "null"}, {"NA", nil, ""}, {nil, ""}, {nil, nil, "None"}, {"x", "NA", nil, ""}} {
		f := frame.New("a", values, "b", frame.Categories("b", slices.Repeat([]string{"n/a"}, len(values))))
		var out strings.Builder
		if err := f.EncodeCSV(&out, ','); err != nil {
			t.Fatal(err)
		}
		got, err := frame.DecodeCSV(strings.NewReader(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, f.With("b", f.Col("b").Cast(frame.String)))
	}
}

// TestCSVSpelling: tables of a number and a text that programs write in other ways.
func TestCSVSpelling(t *testing.T) {
	for _, text := range []string{
		"a,b\n1, \"x,y\"\n", "a,b\n1,\t\"x,y\" \n", "a,b\n \"1\" ,\"x,y\"", "\"a\", \"b\"\n1,\"x,y\"  \r\n", "a,b\r\n1,\"x,y\"\r",
		"a,b\r1,\"x,y\"\r", "a,b\r\"1\",\"x,y\"", "a,\"b\"\r\n1,\"x,y\"\r\n",
	} {
		f, err := frame.DecodeCSV(strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		same(t, f, frame.New("a", []int{1}, "b", []string{"x,y"}))
	}
	for text, name := range map[string]string{"\"x,y\"\n1\n": "x,y", " \"x;y\" \n1\n": "x;y", "\"x|y\"": "x|y"} {
		if f, err := frame.DecodeCSV(strings.NewReader(text)); err != nil || fmt.Sprint(f.Names()) != "["+name+"]" {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}

// TestCSVOptions reads what options say.
func TestCSVOptions(t *testing.T) {
	text := "# made by hand\nday;n;n\n03/02/2024;-999;x\n04/02/2024;5;y\n\n05/02/2024;6;z\n"
	f, err := frame.DecodeCSV(strings.NewReader(text), frame.CSVOptions{Comma: ';', Skip: 1, Missing: []string{"-999"}, Rows: 2,
		Types: map[string]frame.Type{"day": frame.Date, "n_2": frame.Category}, Layouts: map[string]string{"day": "02/01/2006"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.GoString(); got != "frame.Frame[2 rows, day date, n int64, n_2 category]" {
		t.Error(got)
	}
	if got := fmt.Sprint(f.Col("day").Times()[0].Format("2006-01-02"), f.Col("n").At(0), f.Col("n").At(1)); got != "2024-02-03<nil> 5" {
		t.Error(got)
	}
	f, err = frame.DecodeCSV(strings.NewReader("1,x\n2,y"), frame.CSVOptions{NoHeader: true})
	if err != nil || f.GoString() != "frame.Frame[2 rows, column_0 int64, column_1 string]" {
		t.Error(f, err)
	}
}

// TestLargeCSV: types that only the last rows need, rows longer than a part, quotes at the ends of parts; and the same in
// parts by ScanCSV.
func TestLargeCSV(t *testing.T) {
	thorough.Slow(t)
	const rows = 60_000
	var text strings.Builder
	text.WriteString("n,late,text,big\n")
	for i := range rows {
		late := fmt.Sprint(i % 10)
		if i == rows-1 {
			late = "2.5"
		}
		fmt.Fprintf(&text, "%d,%s,\"line\n%d, \"\"%s\"\"\",%d\n", i, late, i, strings.Repeat("é", i%50), i)
	}
	fmt.Fprintf(&text, "%d,,%s,x\n", rows, strings.Repeat("z", 3<<20))
	path := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	f := read(t, path)
	if got := f.GoString(); got != "frame.Frame[60001 rows, n int64, late float64, text string, big string]" {
		t.Fatal(got)
	}
	for i, v := range f.Col("n").Ints() {
		want := fmt.Sprintf("line\n%d, \"%s\"", i, strings.Repeat("é", i%50))
		if v != int64(i) || i < rows && f.Col("text").At(i) != want {
			t.Fatalf("row %d: %v", i, f.Row(i))
		}
	}
	if f.Col("late").At(rows-1) != 2.5 || f.Col("big").At(rows) != "x" || len(f.Col("text").At(rows).(string)) != 3<<20 {
		t.Error("the last rows differ")
	}
	var parts []*frame.Frame
	for part, err := range frame.ScanCSV(path) {
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	same(t, frame.Concat(parts...), f)
	for range frame.ScanCSV(path) {
		break // and nothing goes on in the background
	}
	if _, err := frame.ReadCSV(filepath.Join(t.TempDir(), "none.csv")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestCSVOfOtherPrograms: UTF-16, lines that end in \r, and a header that is one field by choice.
func TestCSVOfOtherPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\r1,x\r2,y\r": "[1 2] [x y]", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe4\x00\n\x00": "[1] [ä]",
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := frame.ReadCSV(path)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var cols [2][]any
		for i := range f.Rows() {
			cols[0], cols[1] = append(cols[0], f.Col("a").At(i)), append(cols[1], f.Col("b").At(i))
		}
		if got := fmt.Sprint(cols[0], cols[1]); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		parts := 0
		for part, err := range frame.ScanCSV(path) {
			if err != nil || part.Rows() != f.Rows() {
				t.Errorf("%q, in parts: %v", text, err)
			}
			parts++
		}
		if parts != 1 {
			t.Errorf("%q: %d parts", text, parts)
		}
	}
	f, err := frame.DecodeCSV(strings.NewReader("a;b\nx\n"), frame.CSVOptions{Comma: ','})
	if err != nil || f.Rows() != 1 {
		t.Error(f, err)
	}
}
