package tensor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// conformanceCase is a case in the schema of testdata/candle/README.md.
type conformanceCase struct {
	ID, Source, Op  string
	Inputs          []dataTensor
	Args            map[string]any
	Expect          json.RawMessage
	Atol, Rtol      float64
	MeanRel         float64 `json:"mean_rel"`
	Note, Contested string
	folder          string // where the case comes from, for the files that it names
}

type dataTensor struct {
	DType string
	Shape []int
	Data  []any
	Fill  map[string]json.RawMessage
	View  [][]any
	Text  *string
	Bytes []byte `json:"base64"`
}

// readCases returns the cases of every .json file in a folder.
func readCases(folder string) ([]conformanceCase, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []conformanceCase
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var cases []conformanceCase
		if err := json.Unmarshal(raw, &cases); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for i := range cases {
			cases[i].folder = folder
		}
		all = append(all, cases...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no cases in %s", folder)
	}
	return all, nil
}

// caseFailure is what the functions that run a case panic with.
type caseFailure struct{ error }

func fail(format string, args ...any) { panic(caseFailure{fmt.Errorf(format, args...)}) }

func need(err error) {
	if err != nil {
		panic(caseFailure{err})
	}
}

// attempt returns what f panicked with, if it is a failed case or a tensor error. Other panics are errors too: a case
// must fail cleanly.
func attempt(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case caseFailure:
			err = r.error
		case *tensor.Error:
			err = r
		default:
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	f()
	return nil
}

// values returns the elements as float64, and exactly as int64 for integer types.
func (d dataTensor) values() ([]float64, []int64) {
	n := 1
	for _, s := range d.Shape {
		n *= s
	}
	floats, ints := make([]float64, n), make([]int64, n)
	d.fill(floats)
	for i, v := range floats {
		ints[i] = int64(v)
		if len(d.Data) != n {
			continue
		}
		if s, ok := d.Data[i].(string); ok {
			if big, err := strconv.ParseInt(s, 10, 64); err == nil {
				ints[i] = big
			}
		}
	}
	return floats, ints
}

func (d dataTensor) fill(floats []float64) {
	for kind, raw := range d.Fill {
		switch kind {
		case "const":
			var v float64
			need(json.Unmarshal(raw, &v))
			for i := range floats {
				floats[i] = v
			}
		case "iota":
			var v [2]float64
			need(json.Unmarshal(raw, &v))
			for i := range floats {
				floats[i] = v[0] + float64(i)*v[1]
			}
		case "alternating":
			var v []float64
			need(json.Unmarshal(raw, &v))
			for i := range floats {
				floats[i] = v[i%len(v)]
			}
		default:
			fail("unknown fill %q", kind)
		}
		return
	}
	if len(d.Data) != len(floats) {
		fail("%d elements for shape %v", len(d.Data), d.Shape)
	}
	for i, v := range d.Data {
		switch v := v.(type) {
		case float64:
			floats[i] = v
		case string:
			f, err := strconv.ParseFloat(v, 64)
			need(err)
			floats[i] = f
		}
	}
}

func parseDType(name string) tensor.DType {
	dt, err := tensor.ParseDType(name)
	need(err)
	return dt
}

func (d dataTensor) build(dev *tensor.Device) *tensor.Tensor {
	dt := parseDType(d.DType)
	floats, ints := d.values()
	var x *tensor.Tensor
	if dt.IsInt() {
		x = tensor.FromSlice(ints, d.Shape...)
	} else {
		x = tensor.FromSlice(floats, d.Shape...)
	}
	x = x.ToDType(dt).ToDevice(dev)
	for _, v := range d.View {
		args := map[string]any{}
		if len(v) > 1 {
			args, _ = v[1].(map[string]any)
		}
		x = apply(v[0].(string), args, []*tensor.Tensor{x}, dev)[0]
	}
	return x
}

// run builds the inputs of a case and returns its results.
func (c conformanceCase) run(dev *tensor.Device) []*tensor.Tensor {
	var in []*tensor.Tensor
	for _, d := range c.Inputs {
		in = append(in, d.build(dev))
	}
	var out []*tensor.Tensor
	switch {
	case c.Op == "program":
		out = c.program(in, dev)
	case strings.HasPrefix(c.Op, "read_"):
		path := c.path()
		list, err := c.tensors(path, dev)
		need(err)
		for _, n := range list {
			out = append(out, n.Tensor)
		}
	default:
		out = apply(c.Op, c.Args, in, dev)
	}
	dev.Synchronize() // a mistake in an index is an error by now
	return out
}

func (c conformanceCase) program(in []*tensor.Tensor, dev *tensor.Device) (out []*tensor.Tensor) {
	names := map[string]*tensor.Tensor{}
	for i, x := range in {
		names[fmt.Sprintf("x%d", i)] = x
	}
	grads, _ := c.Args["grads"].([]any)
	for _, name := range grads {
		names[name.(string)] = tensor.NewVar(names[name.(string)])
	}
	for _, s := range c.Args["steps"].([]any) {
		step := s.(map[string]any)
		var args []*tensor.Tensor
		for _, name := range step["in"].([]any) {
			args = append(args, names[name.(string)])
		}
		a, _ := step["args"].(map[string]any)
		results := apply(step["op"].(string), a, args, dev)
		switch to := step["out"].(type) {
		case string:
			names[to] = results[0]
		case []any:
			for i, name := range to {
				names[name.(string)] = results[i]
			}
		}
	}
	for _, name := range c.Args["outputs"].([]any) {
		out = append(out, names[name.(string)])
	}
	if loss, ok := c.Args["backward"].(string); ok {
		store := names[loss].Backward()
		for _, name := range grads {
			g := store.Get(names[name.(string)])
			if g == nil {
				fail("no gradient of %v", name)
			}
			out = append(out, g)
		}
	}
	return out
}

// check runs a case and says what is wrong.
func (c conformanceCase) check(dev *tensor.Device) error {
	if d, ok := deviations[c.ID]; ok {
		return d.check(c, dev)
	}
	var failure struct{ Error string }
	if json.Unmarshal(c.Expect, &failure) == nil && failure.Error != "" {
		if strings.HasPrefix(c.Op, "read_") {
			return c.checkRefused(dev)
		}
		err := attempt(func() { c.run(dev) })
		var e *tensor.Error
		if kind := errorKinds[failure.Error]; !errors.As(err, &e) || kind != nil && !errors.Is(err, kind) {
			return fmt.Errorf("got %v, want an error like %s", err, failure.Error)
		}
		return nil
	}
	return attempt(func() {
		if special := specials[c.Op]; special != nil {
			special(c, dev)
			return
		}
		var want []dataTensor
		need(json.Unmarshal(c.Expect, &want))
		got := c.run(dev)
		if len(got) != len(want) {
			fail("%d results, want %d", len(got), len(want))
		}
		for i, g := range got {
			c.compare(g, want[i])
		}
	})
}

// errorKinds of Candle's errors that a case may expect.
var errorKinds = map[string]error{
	"ShapeMismatchBinaryOp": tensor.ErrShape, "DTypeMismatchBinaryOp": tensor.ErrDType, "InvalidIndex": tensor.ErrIndex,
}

func (c conformanceCase) compare(got *tensor.Tensor, want dataTensor) {
	dt := parseDType(want.DType)
	if got.DType() == tensor.Bool && dt == tensor.U8 { // comparisons give Bool on purpose, as in PyTorch
		got = got.ToDType(dt)
	}
	if got.DType() != dt || !slices.Equal(got.Dims(), want.Shape) {
		fail("got %v of %v, want %v of %v", got.Dims(), got.DType(), want.Shape, dt)
	}
	floats, ints := want.values()
	if dt == tensor.I64 { // beyond what float64 holds exactly
		same("elements", tensor.ToVec1[int64](got.FlattenAll()), ints)
		return
	}
	relative := 0.0
	for i, g := range got.Float64s() {
		w := kernels.Round(dt, floats[i])
		if g == w || g != g && w != w {
			continue
		}
		relative += math.Abs(g-w) / math.Abs(w) / float64(len(floats))
		// Candle's expectations are its own results, printed in full: allow one unit where a case allows nothing.
		limit := c.Atol + c.Rtol*math.Abs(w)
		if dt.IsFloat() {
			limit = max(limit, math.Abs(w)*unit[dt])
		}
		if !(math.Abs(g-w) <= limit) {
			fail("element %d: got %v, want %v (allowed %g) %s", i, g, w, limit, c.Note)
		}
	}
	if c.MeanRel > 0 && !(relative <= c.MeanRel) {
		fail("the mean relative error is %g, want at most %g", relative, c.MeanRel)
	}
}

// unit is the distance of neighbours near 1, doubled.
var unit = map[tensor.DType]float64{tensor.F16: 0x1p-10, tensor.BF16: 0x1p-7, tensor.F32: 0x1p-22, tensor.F64: 0x1p-51}

// specials check the cases whose expectations are not tensors.
var specials = map[string]func(c conformanceCase, dev *tensor.Device){
	"display":        checkDisplay,
	"strided_blocks": checkBlocks,
	"kv_cache_trace": checkCache,
	"sgd":            checkOptimizer,
	"sgd_linear":     checkOptimizer,
	"adamw_linear":   checkOptimizer,
	"dequantize":     checkDequantize,
	"quantize_bytes": checkQuantize,
	"quantize_rmse":  checkQuantizeError,
	"vec_dot_error":  checkDotError,

	"read_npy": checkFile, "read_npz": checkFile, "read_pth": checkFile, "read_safetensors": checkFile,
	"read_gguf":             checkGGUF,
	"safetensors_roundtrip": checkRoundTrip,
}

func checkDisplay(c conformanceCase, dev *tensor.Device) {
	var want []dataTensor
	need(json.Unmarshal(c.Expect, &want))
	text := *want[0].Text
	if !dev.IsCPU() {
		text = strings.TrimSuffix(text, "]") + ", " + dev.Location() + "]"
	}
	x := c.Inputs[0].build(dev)
	if x.Rank() == 0 { // a number, with all digits
		if v, err := strconv.ParseFloat(x.String(), 64); err != nil || float32(v) != float32(x.ToScalar()) {
			fail("got %s, want %v", x, x.ToScalar())
		}
		return
	}
	if got := x.String(); got != text {
		fail("got\n%s\nwant\n%s", got, text)
	}
}

func checkBlocks(c conformanceCase, dev *tensor.Device) {
	var want []struct {
		Kind     string
		Start    int `json:"start_offset"`
		Len      int
		BlockLen int `json:"block_len"`
		Count    int
		Stride   int `json:"src_stride"`
		Starts   []int
	}
	need(json.Unmarshal(c.Expect, &want))
	w := want[0]
	switch w.Kind {
	case "single":
		w.Starts = []int{w.Start}
	case "uniform":
		w.Len = w.BlockLen
		for i := range w.Count {
			w.Starts = append(w.Starts, w.Start+i*w.Stride)
		}
	default:
		w.Len = w.BlockLen
	}
	got := c.Inputs[0].build(dev).StridedBlocks()
	if got.Len != w.Len || !slices.Equal(got.Starts, w.Starts) {
		fail("got %+v, want %+v", got, w)
	}
}
