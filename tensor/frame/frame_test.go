package frame_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame"
)

// TestRefuses: mistakes say what is wrong, with the facts, and what to do.
func TestRefuses(t *testing.T) {
	odd := make([]any, 1)
	odd[0] = "a"
	f := frame.New("x", []int64{1, math.MaxInt64}, "s", []string{"a", "b"}, "ok", []bool{true, false}, "y", []any{1.5, nil},
		"at", []time.Time{time.Unix(0, 0), time.Unix(1, 0)})
	for name, test := range map[string]struct {
		do   func()
		kind error
		want string
		note string
	}{
		"name":      {func() { f.Select("X") }, tensor.ErrIndex, `select: no column "X": the columns are "x", "s", "ok", "y", "at"`, `did you mean "x"?`},
		"lengths":   {func() { frame.New("a", []int{1}, "b", []int{1, 2}) }, tensor.ErrShape, `frame: column "a" has 1 rows, column "b" 2`, ""},
		"twice":     {func() { frame.New("a", []int{1}, "a", []int{2}) }, tensor.ErrValue, `frame: two columns are named "a"`, "Rename"},
		"pairs":     {func() { frame.New(odd...) }, tensor.ErrValue, "frame: 1 arguments: want names and values in pairs", "frame.New("},
		"type":      {func() { frame.New("a", []complex128{1}) }, tensor.ErrDType, `frame: column "a": row 0 is a complex128`, "columns have"},
		"mixed":     {func() { frame.New("a", []any{1, "x"}) }, tensor.ErrDType, `frame: column "a": row 1 is string, those before it are int64`, ""},
		"unsigned":  {func() { frame.New("a", []uint64{1 << 63}) }, tensor.ErrValue, `frame: column "a": row 0: 9223372036854775808 is beyond int64`, ""},
		"year":      {func() { frame.New("a", []time.Time{{}}) }, tensor.ErrValue, `frame: column "a": row 0: the year 1 is outside`, "frame.Dates"},
		"sum":       {func() { f.Agg(frame.Sum("x")) }, tensor.ErrValue, `sum: the sum of column "x" is beyond int64`, "Cast(frame.Float64)"},
		"add":       {func() { f.Eval(frame.Col("x").Add(1)) }, tensor.ErrValue, "add: row 1: add of 9223372036854775807 and 1 is beyond int64", "Cast"},
		"mul":       {func() { f.Eval(frame.Col("x").Mul(-2)) }, tensor.ErrValue, "mul: row 1", "Cast"},
		"dates":     {func() { f.Eval(frame.Col("at").Sub(frame.Col("at").Cast(frame.Date))) }, tensor.ErrDType, `sub: columns "at" and "at" are timestamp and date`, "SecondsSince"},
		"text":      {func() { f.Eval(frame.Col("s").Add(1)) }, tensor.ErrDType, `add: "s" is string: want numbers`, ""},
		"compare":   {func() { f.Filter(frame.Col("s").Gt(1)) }, tensor.ErrDType, `gt: "s" is string, "literal" int64: they cannot be compared`, "Cast"},
		"cond":      {func() { f.Filter(frame.Col("x")) }, tensor.ErrDType, `filter: column "x" is int64: want bool`, "comparison"},
		"time":      {func() { f.Filter(frame.Col("at").Gt("noon")) }, tensor.ErrValue, `gt: column "literal", row 0: "noon" is not a timestamp`, ""},
		"mean":      {func() { f.GroupBy("ok").Agg(frame.Mean("s")) }, tensor.ErrDType, `agg: column "s" is string: want numbers for mean`, "Cast"},
		"missing":   {func() { f.Tensor(tensor.CPU(), tensor.F32, "y") }, tensor.ErrValue, `tensor: 1 of 2 values of column "y" are missing`, "f.DropMissing"},
		"integers":  {func() { f.Head(1).Tensor(tensor.CPU(), tensor.I64, "y") }, tensor.ErrDType, `tensor: column "y" is float64: want integers`, "Cast"},
		"cast":      {func() { f.Col("s").Cast(frame.Int64) }, tensor.ErrValue, `cast: column "s", row 0: "a" is not a int64`, ""},
		"whole":     {func() { f.Col("y").Cast(frame.Int64) }, tensor.ErrValue, `cast: column "y", row 0: 1.5 is no int64`, "Round"},
		"no way":    {func() { f.Col("ok").Cast(frame.Date) }, tensor.ErrDType, `cast: column "ok" is bool, which cannot become date`, ""},
		"keys":      {func() { f.Join(f, frame.Inner, "x", "z") }, tensor.ErrIndex, `join: no column "z"`, ""},
		"key types": {func() { f.JoinOn(f, frame.Inner, []string{"x"}, []string{"s"}) }, tensor.ErrDType, `join: keys "x" and "s" are int64 and string`, "Cast"},
		"how":       {func() { f.Join(f, "cross", "x") }, tensor.ErrValue, `join: "cross" is no kind of join`, ""},
		"pivot":     {func() { frame.Concat(f, f).Pivot([]string{"s"}, "ok", "y", nil) }, tensor.ErrValue, "pivot: 2 values in one place", "frame.Sum"},
		"slice":     {func() { f.Slice(1, 5) }, tensor.ErrIndex, "slice: rows 1 to 5 of a frame of 2 rows", ""},
		"sample":    {func() { f.Sample(3, 1) }, tensor.ErrValue, "sample: 3 different rows of a frame of 2 rows", ""},
		"function":  {func() { f.FilterFunc("s", func(x float64) bool { return true }) }, tensor.ErrDType, `filterfunc: column "s" is string, which a func(float64) bool does not take`, ""},
		"ints":      {func() { f.Col("y").Ints() }, tensor.ErrDType, `ints: column "y" is float64: want int64`, ""},
		"quantile":  {func() { f.Agg(frame.Quantile("y", 2)) }, tensor.ErrValue, "agg: quantile 2", ""},
		"period":    {func() { f.Eval(frame.Col("at").Truncate("fortnight")) }, tensor.ErrValue, `truncate: "fortnight" is no period`, ""},
		"concat":    {func() { frame.Concat(f, frame.New("x", []string{"a"})) }, tensor.ErrDType, `concat: column "x" is string in frame 2, and int64 before it`, "Cast"},
		"rows":      {func() { f.With("z", []int{1, 2, 3}) }, tensor.ErrShape, `with: column "z" has 3 rows, the frame 2`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := tensor.Catch(func() error { test.do(); return nil })
			var e *tensor.Error
			if !errors.As(err, &e) || !errors.Is(err, test.kind) || !strings.HasPrefix(err.Error(), test.want) ||
				!strings.Contains(strings.Join(e.Notes, "; "), test.note) {
				t.Errorf("got %+v", err)
			}
		})
	}
}

// TestNaN: NaN is a number that is not missing; aggregates have it, sorting puts it last, all NaN are one key.
func TestNaN(t *testing.T) {
	nan := math.NaN()
	f := frame.New("k", []any{nan, 1.0, nil, nan, 0.0, math.Copysign(0, -1)}, "v", []any{1, 2, 4, 8, 16, 32})
	if got := fmt.Sprint(f.Sort("k").Col("v").Ints(), f.SortBy(frame.Desc("k")).Col("v").Ints()); got != "[16 32 2 1 8 4] [1 8 2 16 32 4]" {
		t.Error(got)
	}
	if got := fmt.Sprint(f.GroupBy("k").Sum("v").Col("v").Ints()); got != "[9 2 4 48]" {
		t.Error(got)
	}
	if got := fmt.Sprint(f.Col("k").Max(), f.Col("k").Min(), f.Col("k").Sum(), f.Col("k").Median(), f.Col("k").Missing()); got != "NaN NaN NaN NaN 1" {
		t.Error(got)
	}
	if got := f.Filter(frame.Col("k").Ne(1)).Rows(); got != 4 {
		t.Error(got)
	}
	if got := f.Filter(frame.Col("k").IsNaN()).Rows(); got != 2 {
		t.Error(got)
	}
}

// TestFill: a filled column keeps its type where that holds the value.
func TestFill(t *testing.T) {
	f := frame.New("n", []any{1, nil}, "x", []any{1.5, nil}, "y", []any{float32(2), nil}, "s", []any{"a", nil}, "ok", []any{true, nil})
	f = f.With("c", frame.Col("s").Cast(frame.Category))
	for value, want := range map[any]string{
		0:   "int64 float64 float32 string bool category map[c:<nil> n:0 ok:<nil> s:<nil> x:0 y:0]",
		2.0: "int64 float64 float32 string bool category map[c:<nil> n:2 ok:<nil> s:<nil> x:2 y:2]",
		0.5: "float64 float64 float32 string bool category map[c:<nil> n:0.5 ok:<nil> s:<nil> x:0.5 y:0.5]",
		"z": "int64 float64 float32 string bool category map[c:z n:<nil> ok:<nil> s:z x:<nil> y:<nil>]",
	} {
		g := f.FillMissing(value)
		if got := types(g) + " " + fmt.Sprint(g.Row(-1)); got != want {
			t.Errorf("%v: %s, want %s", value, got, want)
		}
	}
}

// TestExact: comparisons and means of integers beyond 2^53 are exact, or rounded once.
func TestExact(t *testing.T) {
	f := frame.New("n", []int64{1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}, "f", []float64{1 << 53, 1 << 53, 1 << 63, -1 << 63})
	if got := fmt.Sprint(f.Eval(frame.Col("n").Eq(frame.Col("f"))).Bools(), f.Eval(frame.Col("n").Lt(frame.Col("f"))).Bools()); got !=
		"[true false false true] [false false true false]" {
		t.Error(got)
	}
	if got := f.Slice(2, 3).Join(f, frame.Inner, "n").Rows(); got != 1 {
		t.Error(got)
	}
	if got := frame.New("n", []int64{math.MaxInt64, math.MaxInt64}).Col("n").Mean(); got != math.MaxInt64 {
		t.Error(got)
	}
	if got := fmt.Sprint(f.Sort("n").Col("n").Ints(), f.SortBy(frame.Desc("n")).Col("n").Ints()[0]); got !=
		"[-9223372036854775808 9007199254740992 9007199254740993 9223372036854775807] 9223372036854775807" {
		t.Error(got)
	}
	extreme := frame.New("n", []any{int64(math.MaxInt64), nil, int64(math.MinInt64), 5, nil})
	if got := fmt.Sprint(extreme.Sort("n").Col("n").At(2), extreme.SortBy(frame.Desc("n")).Col("n").At(2), extreme.Sort("n").Col("n").At(3)); got !=
		"9223372036854775807 -9223372036854775808 <nil>" {
		t.Error(got)
	}
}

// TestJSONIntegers: integers keep all of their digits, or are an error.
func TestJSONIntegers(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":9007199254740993}`:                                  "",
		`{"a":1e300}` + "\n" + `{"a":100000000000000000000}`:      "",
		`{"a":18446744073709551615}`:                              "the integer 18446744073709551615 in a column of floats",
		`{"a":9007199254740993}` + "\n" + `{"a":1.5}`:             "line 2: \"a\": the integer 9007199254740993",
		`{"a":1.5}` + "\n" + `{"a":-9007199254740993}`:            "the integer -9007199254740993",
		`{"a":18446744073709551615}` + "\n" + `{"a":` + "1" + `}`: "line 1",
	} {
		if _, err := frame.DecodeJSONL(strings.NewReader(text)); want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestRoundIntegers: integers are rounded to tens as NumPy does it, halves to even, and never wrap around.
func TestRoundIntegers(t *testing.T) {
	f := frame.New("n", []any{15, 25, -15, -26, nil, 4, 1449})
	for decimals, want := range map[int]string{1: "[15 25 -15 -26 0 4 1449]", -1: "[20 20 -20 -30 0 0 1450]",
		-2: "[0 0 0 0 0 0 1400]", -30: "[0 0 0 0 0 0 0]"} {
		got := f.Eval(frame.Col("n").Round(decimals).FillMissing(0)).Ints()
		if fmt.Sprint(got) != want {
			t.Errorf("%d decimals: %v, want %s", decimals, got, want)
		}
	}
	large := frame.New("n", []int64{math.MaxInt64})
	for _, decimals := range []int{-1, -19} {
		if err := tensor.Catch(func() error { large.Eval(frame.Col("n").Round(decimals)); return nil }); !errors.Is(err, tensor.ErrValue) {
			t.Errorf("%d decimals: %v", decimals, err)
		}
	}
}

// TestEmpty: operations on no rows and no columns give no rows, and the types that they have.
func TestEmpty(t *testing.T) {
	f := frame.New("k", []string{}, "x", []float64{}, "n", []int{}, "at", []time.Time{}, "ok", []bool{}, "c", []string{})
	f = f.With("c", frame.Col("c").Cast(frame.Category))
	for name, g := range map[string]*frame.Frame{
		"filter": f.Filter(frame.Col("x").Gt(1)), "sort": f.Sort("k", "x", "at"), "head": f.Head(3), "unique": f.Unique("k"),
		"join": f.Join(f, frame.Inner, "k").Select(f.Names()...), "concat": frame.Concat(f, f), "sample": f.Sample(0, 1),
		"drop": f.DropMissing(), "with": f.With("x", frame.Col("x").Mul(2)),
	} {
		if g.Rows() != 0 || types(g) != types(f) {
			t.Errorf("%s: %#v", name, g)
		}
	}
	if got := fmt.Sprint(f.GroupBy("k").Agg(frame.Sum("x"), frame.Median("x"), frame.NUnique("c")).Shape()); got != "0 4" {
		t.Error(got)
	}
	one := f.Agg(frame.Len(), frame.Sum("x"), frame.Mean("x"), frame.Min("at"), frame.NUnique("k"), frame.Median("x"))
	if got := fmt.Sprint(one.Row(0)); got != "map[at_min:<nil> k_nunique:0 len:0 x_mean:<nil> x_median:<nil> x_sum:0]" {
		t.Error(got)
	}
	if got := frame.New().String(); got != "\n\n(0 rows × 0 columns)" {
		t.Errorf("%q", got)
	}
	if got := f.Tensor(tensor.CPU(), tensor.F32, "x", "n").Dims(); fmt.Sprint(got) != "[0 2]" {
		t.Error(got)
	}
}

// TestTensors: columns and tensors have the same values.
func TestTensors(t *testing.T) {
	x := tensor.New([][]float64{{1, 2}, {3, 4}})
	f := frame.FromTensor(x, "a", "b").With("c", []bool{true, false}).With("d", frame.Categories("d", []string{"u", "v"}))
	if got := fmt.Sprint(types(f), f.Tensor(tensor.CPU(), tensor.F64, "b", "c", "d").ToVec2()); got != "float64 float64 bool category[[2 1 0] [4 0 1]]" {
		t.Error(got)
	}
	if got := f.FilterMask(x.Get(0).Gt(1)).Rows(); got != 1 {
		t.Error(got)
	}
	big := frame.New("n", []int64{1<<53 + 1})
	if got := tensor.ToVec1[int64](big.Col("n").Tensor(tensor.CPU(), tensor.I64))[0]; got != 1<<53+1 {
		t.Error(got)
	}
}

type base struct {
	ID int `frame:"id"`
}

// TestStructs: structs become rows, and rows structs.
func TestStructs(t *testing.T) {
	type row struct {
		base
		Base   base `frame:"-"`
		Name   string
		Score  *float32
		At     time.Time
		Small  uint8 `frame:"small"`
		hidden int
	}
	at := time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	rows := []row{{base: base{1}, Name: "a", At: at, Small: 200, hidden: 1}, {base: base{2}, Name: "", Score: new(float32(0.5)), At: at}}
	f := frame.FromStructs(rows)
	if got := f.GoString(); got != "frame.Frame[2 rows, Name string, Score float32, At timestamp, small int64]" &&
		got != "frame.Frame[2 rows, id int64, Name string, Score float32, At timestamp, small int64]" {
		t.Error(got)
	}
	var back []row
	f.ToStructs(&back)
	if len(back) != 2 || back[0].Name != "a" || back[0].Score != nil || *back[1].Score != 0.5 || !back[0].At.Equal(at) || back[0].Small != 200 {
		t.Errorf("%+v", back)
	}
	if err := tensor.Catch(func() error { f.With("small", 300).ToStructs(&back); return nil }); err == nil ||
		err.Error() != `tostructs: column "small", row 0: 300 is beyond uint8` {
		t.Error(err)
	}
}

// TestShared: what shares memory does not see changes of what it was made of.
func TestShared(t *testing.T) {
	values := []int64{1, 2, 3}
	f := frame.New("n", values)
	values[0] = 9
	out := f.Col("n").Ints()
	out[1] = 9
	if got := fmt.Sprint(f.Col("n").Ints()); got != "[1 2 3]" {
		t.Error(got)
	}
}
