package frame_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/gorocm/gorocm/tensor/frame"
)

// TestDecimals reads decimals that pyarrow writes as bytes, as integers, in dictionaries and in Arrow's types, the largest
// of each number of digits among them: rounded to its digits each is the text that Python makes of it.
func TestDecimals(t *testing.T) {
	files := map[string]*frame.Frame{}
	var err error
	for _, path := range []string{"parquet/decimals.parquet", "parquet/decimals_int.parquet", "decimals.arrow"} {
		if strings.HasSuffix(path, ".arrow") {
			files[path], err = frame.ReadArrow("testdata/" + path)
		} else {
			files[path], err = frame.ReadParquet("testdata/" + path)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	columns := []struct {
		name  string
		typ   frame.Type
		scale int
	}{{"money", frame.Float64, 2}, {"whole", frame.Int64, 0}, {"long", frame.String, 9}, {"large", frame.String, 30},
		{"short", frame.String, 16}, {"small", frame.Float64, 3}}
	for path, f := range files {
		if f.Rows() != 60 {
			t.Errorf("%s: %d rows", path, f.Rows())
		}
		for _, c := range columns {
			got, want := f.Col(c.name), f.Col(c.name+"_text")
			if got.Type() != c.typ || got.Missing() == 0 {
				t.Errorf("%s: %s is %v, %d are missing", path, c.name, got.Type(), got.Missing())
			}
			for i := range f.Rows() {
				text := fmt.Sprint(got.At(i))
				if x, ok := got.At(i).(float64); ok {
					text = fmt.Sprintf("%.*f", c.scale, x)
				}
				if text != fmt.Sprint(want.At(i)) {
					t.Errorf("%s, %s, row %d: %s, want %v", path, c.name, i, text, want.At(i))
				}
			}
		}
	}
}

// TestDecimalsInBytes reads decimals of which each has as many bytes as it takes.
func TestDecimalsInBytes(t *testing.T) {
	schema := parquet.NewSchema("", parquet.Group{"x": parquet.Optional(parquet.Decimal(2, 20, parquet.ByteArrayType)),
		"y": parquet.Decimal(1, 2, parquet.Int32Type)})
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema)
	values := [][]byte{{}, {0xff}, {0x7f}, {1, 0, 0, 0, 0, 0, 0, 0, 0}, nil}
	for i, v := range values {
		x := parquet.ByteArrayValue(v).Level(0, 1, 0)
		if v == nil {
			x = parquet.NullValue().Level(0, 0, 0)
		}
		if _, err := w.WriteRows([]parquet.Row{{x, parquet.Int32Value(int32(95+i)).Level(0, 0, 1)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	decode := func(columns ...string) (*frame.Frame, error) {
		return frame.DecodeParquet(bytes.NewReader(b.Bytes()), int64(b.Len()), columns...)
	}
	f, err := decode()
	if err != nil {
		t.Fatal(err)
	}
	same(t, f, frame.New("x", []any{"0.00", "-0.01", "1.27", "184467440737095516.16", nil}, "y", []float64{9.5, 9.6, 9.7, 9.8, 9.9}))
}
