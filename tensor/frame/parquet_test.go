package frame_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"github.com/gorocm/gorocm/tensor/frame"
)

// parquetRow has the same text in columns with a dictionary and without, and with missing values, and other types.
type parquetRow struct {
	Dict     string   `parquet:"dict,dict"`
	Plain    string   `parquet:"plain"`
	MaybeD   *string  `parquet:"maybe_dict,dict,optional"`
	MaybeP   *string  `parquet:"maybe_plain,optional"`
	Int      int64    `parquet:"int,dict"`
	MaybeInt *int32   `parquet:"maybe_int,dict,optional"`
	Float    *float64 `parquet:"float,optional"`
	Bool     bool     `parquet:"bool"`
	MaybeB   *bool    `parquet:"maybe_bool,optional"`
}

// TestParquetPages: texts of all lengths, those that are short, and those beyond a byte, and values that are missing come
// out of many small pages and groups of rows, with dictionaries and without, as they went in.
func TestParquetPages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var texts []string
	for i := range 300 {
		texts = append(texts, strings.Repeat("é", i%3)+strings.Repeat("x", i%40)+fmt.Sprint(i))
	}
	texts = append(texts, "", strings.Repeat("a", 15), strings.Repeat("b", 16), strings.Repeat("c", 254), strings.Repeat("d", 255),
		strings.Repeat("e", 256), strings.Repeat("f", 70000))
	for _, missing := range []float64{0, 0.3, 1} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[parquetRow](&b, parquet.PageBufferSize(700), parquet.MaxRowsPerRowGroup(1009))
		rows := make([]parquetRow, 4001)
		for i := range rows {
			text, n, x, is := texts[r.IntN(len(texts))], int32(r.IntN(50)-25), r.Float64(), r.IntN(2) == 0
			if i%500 != 7 && len(text) > 300 {
				text = "short"
			}
			rows[i] = parquetRow{Dict: text, Plain: text, Int: int64(n), Bool: is}
			if r.Float64() >= missing {
				rows[i].MaybeD, rows[i].MaybeP, rows[i].MaybeInt, rows[i].Float, rows[i].MaybeB = &text, &text, &n, &x, &is
			}
		}
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := frame.DecodeParquet(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			want := []any{row.Dict, row.Plain, value(row.MaybeD), value(row.MaybeP), row.Int, nil, value(row.Float), row.Bool, value(row.MaybeB)}
			if row.MaybeInt != nil {
				want[5] = int64(*row.MaybeInt)
			}
			for k, name := range []string{"dict", "plain", "maybe_dict", "maybe_plain", "int", "maybe_int", "float", "bool", "maybe_bool"} {
				if got := f.Col(name).At(i); got != want[k] {
					t.Fatalf("missing %v, row %d of %s: %.40v, want %.40v", missing, i, name, got, want[k])
				}
			}
		}
	}
}

func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// TestParquetExpands: a small file whose texts would have terabytes is an error before memory is taken.
func TestParquetExpands(t *testing.T) {
	_, err := frame.ReadParquet("testdata/parquet/expands.parquet")
	if err == nil || !strings.Contains(err.Error(), `column "a": parquet: texts of 4000000000000 bytes`) {
		t.Error(err)
	}
}

// TestTextsAreUTF8: strings of files that are not UTF-8 are errors, also two that would be if they were one.
func TestTextsAreUTF8(t *testing.T) {
	for _, texts := range [][]string{{"a", "\xff"}, {"\xc3", "\xa9"}} {
		rows := make([]parquetRow, len(texts))
		b := array.NewRecordBuilder(memory.DefaultAllocator,
			arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String}}, nil))
		for i, text := range texts {
			rows[i].Plain = text
			b.Field(0).(*array.StringBuilder).Append(text)
		}
		var file bytes.Buffer
		if err := parquet.Write(&file, rows); err != nil {
			t.Fatal(err)
		}
		_, err := frame.DecodeParquet(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err == nil || !strings.Contains(err.Error(), `column "plain": parquet: bytes that are not UTF-8`) {
			t.Errorf("Parquet with %q: %v", texts, err)
		}
		_, err = frame.FromRecord(b.NewRecordBatch())
		if err == nil || !strings.Contains(err.Error(), "not UTF-8") {
			t.Errorf("Arrow with %q: %v", texts, err)
		}
	}
}

// TestParquetTypes reads types that pyarrow writes as bytes, and a column without values.
func TestParquetTypes(t *testing.T) {
	got, err := frame.ReadParquet("testdata/parquet/types.parquet")
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Select("price", "long", "half"), frame.New("price", []any{1.25, -0.01, nil, 99999999.99},
		"long", []any{"12345678901234567890.123456789", "-1.000000000", nil, "0.000000000"}, "half", []float32{1, -0.5, 65504, 0x1p-24}))
	if none := got.Col("none"); none.Type() != frame.String || none.Missing() != 4 {
		t.Errorf("a column without values: %v", none)
	}
}

// TestParquetReads: pages of both versions that pyarrow compresses by LZ4 to more than a third, and booleans in runs,
// come out as they went in.
func TestParquetReads(t *testing.T) {
	var long, some, run, mixed, text []any
	for i := range 700 {
		x := int64(uint32(i * 2654435761))
		there := func(v any) any {
			if i%11 == 5 {
				return nil
			}
			return v
		}
		long, some, run = append(long, x), append(some, there(x)), append(run, i/100%2 == 1)
		mixed, text = append(mixed, there(x/7%3 == 1)), append(text, there(fmt.Sprint(x%50)))
	}
	for _, name := range []string{"lz4_1", "lz4_2", "plain_1", "runs_2"} {
		f, err := frame.ReadParquet("testdata/parquet/" + name + ".parquet")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, f, frame.New("long", long, "some", some, "run", run, "mixed", mixed, "text", text))
	}
}

// TestParquetDeltas: differences of unsigned integers, which DuckDB 2.0 writes in more than 32 bits, come out as they
// went in, some of them missing.
func TestParquetDeltas(t *testing.T) {
	var large, some, short, signed []any
	for i := range 700 {
		large = append(large, int64(3509359142+i*2654435761%700_000_000))
		if some = append(some, int64(uint32(i*2654435761))); i%11 == 5 {
			some[i] = nil
		}
		short, signed = append(short, int64(i*65521%65536)), append(signed, int64(i%7-3))
	}
	f, err := frame.ReadParquet("testdata/parquet/u32_deltas.parquet")
	if err != nil {
		t.Fatal(err)
	}
	same(t, f, frame.New("large", large, "some", some, "short", short, "signed", signed))
}

// TestEmptyNames: files give a column without a name back as it was. Of several, one stays.
func TestEmptyNames(t *testing.T) {
	f := frame.New("a", []int{1}, "", []int{2}, "column_1", []int{3})
	folder := t.TempDir()
	if err := f.WriteParquet(filepath.Join(folder, "f.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteArrow(filepath.Join(folder, "f.arrow")); err != nil {
		t.Fatal(err)
	}
	p, err := frame.ReadParquet(filepath.Join(folder, "f.parquet"))
	if err != nil || !slices.Equal(p.Names(), f.Names()) {
		t.Errorf("parquet: %v %v", p, err)
	}
	a, err := frame.ReadArrow(filepath.Join(folder, "f.arrow"))
	if err != nil || !slices.Equal(a.Names(), f.Names()) {
		t.Errorf("arrow: %v %v", a, err)
	}
}
