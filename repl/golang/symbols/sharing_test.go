package symbols_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/symbols"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/sparse"
)

// saysShared finds the comments of operations whose results may share memory with their operands.
var saysShared = regexp.MustCompile(`(?i)\b(shares?|shared|views?|t itself|returns t\b|x itself|becomes (one )?variable)`)

// sharers share memory for other reasons than that a result is an operand or a view of one.
var sharers = map[string]string{
	"tensor.Apply":  "what a module returns is its own business",
	"tensor.ApplyT": "what a module returns is its own business",
}

// TestSharing calls the operations of the packages that cells see, with arguments for which there is little or nothing
// to do, overwrites their results, and looks whether an operand has changed. That may only be where the comment says that
// elements are shared.
func TestSharing(t *testing.T) {
	thorough.Slow(t)
	comments := tensorComments(t)
	calls := map[string]reflect.Value{}
	tp := reflect.TypeFor[*tensor.Tensor]()
	for i := range tp.NumMethod() {
		calls["tensor."+tp.Method(i).Name] = tp.Method(i).Func
	}
	for _, name := range []string{"", "/autograd", "/fft", "/linalg", "/nn", "/quant", "/random", "/signal", "/sparse", "/stats"} {
		path := "github.com/gorocm/gorocm/tensor" + name
		for f, v := range symbols.Symbols[path+"/"+filepath.Base(path)] {
			if v.Kind() == reflect.Func {
				calls[filepath.Base(path)+"."+f] = v
			}
		}
	}
	for name, c := range sharers {
		if _, ok := calls[name]; !ok {
			t.Errorf("%s, which may share memory (%s), is no operation", name, c)
		}
	}
	tried := 0
	for name, f := range calls {
		generic, _, _ := strings.Cut(name, "[")
		comment, ok := comments[generic]
		if !ok {
			t.Errorf("%s has no comment", name)
		}
		if returnsTensors(f.Type()) && sharers[name] == "" && !saysShared.MatchString(comment) {
			tried += trySharing(t, name, f)
		}
	}
	if tried < 1000 {
		t.Errorf("%d calls returned tensors", tried)
	}
	t.Logf("%d calls returned tensors", tried)
}

// returnsTensors reports whether a function takes a tensor and returns one.
func returnsTensors(f reflect.Type) bool {
	tensors := func(n int, at func(int) reflect.Type) bool {
		for i := range n {
			if p := at(i); p == reflect.TypeFor[*tensor.Tensor]() || p == reflect.TypeFor[[]*tensor.Tensor]() {
				return true
			}
		}
		return false
	}
	return tensors(f.NumIn(), f.In) && tensors(f.NumOut(), f.Out)
}

// trySharing calls an operation with operands of some shapes and types, and returns how often it had a result.
func trySharing(t *testing.T, name string, f reflect.Value) (tried int) {
	r := rand.New(rand.NewPCG(1, uint64(len(name))))
	limit := 12
	if thorough.On() {
		limit = 150
	}
	for _, shape := range [][]int{{1, 5}, {3, 3}, {1}, {}, {2, 1, 3}, {0, 2}} {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.I64, tensor.Bool, tensor.C64} {
			for _, args := range argumentsOf(f.Type(), shape, dt, limit, r) {
				if !sharesNothing(t, name, f, args) {
					return tried // one of them tells enough
				}
				tried++
			}
		}
	}
	return tried
}

// An operand makes an argument of a call; each call has operands of its own.
type operand struct {
	text  string
	value func() any
}

func constant(v any) operand { return operand{fmt.Sprintf("%#v", v), func() any { return v }} }

// argumentsOf lists up to limit lists of arguments for the parameters of a function.
func argumentsOf(f reflect.Type, shape []int, dt tensor.DType, limit int, r *rand.Rand) (lists [][]operand) {
	choices := make([][]operand, f.NumIn())
	total := 1
	for i := range choices {
		variadic := f.IsVariadic() && i == f.NumIn()-1
		choices[i] = operandsOf(f.In(i), i == 0, variadic, shape, dt)
		total = min(total*len(choices[i]), 1<<30)
	}
	all := total <= limit
	for n := range min(total, limit) {
		list := make([]operand, len(choices))
		for i, c := range choices {
			at := r.IntN(len(c))
			if all {
				at, n = n%len(c), n/len(c)
			}
			list[i] = c[at]
		}
		lists = append(lists, list)
	}
	return lists
}

// operandsOf are the values for a parameter, most of which leave nothing to do.
func operandsOf(p reflect.Type, first, variadic bool, shape []int, dt tensor.DType) (list []operand) {
	x := operand{fmt.Sprintf("x%v %v", shape, dt), func() any { return tensor.Ones(shape...).ToDType(dt).Copy() }}
	n := 1
	if len(shape) > 0 {
		n = shape[0]
	}
	ids := operand{"0…n-1", func() any { return tensor.Arange(float64(n)).ToDType(tensor.I64) }}
	mask := operand{"mask", func() any { return tensor.Ones(shape...).ToDType(tensor.Bool).Copy() }}
	zeros := operand{"zeros", func() any { return tensor.Ones(shape...).ZerosLike().ToDType(tensor.U32) }}
	switch p {
	case reflect.TypeFor[*tensor.Tensor]():
		if first {
			return []operand{x}
		}
		return []operand{x, ids, mask, zeros, {"nil", func() any { return (*tensor.Tensor)(nil) }}}
	case reflect.TypeFor[[]*tensor.Tensor]():
		return []operand{{"{" + x.text + "}", func() any { return []*tensor.Tensor{x.value().(*tensor.Tensor)} }},
			{"{x, x}", func() any {
				return []*tensor.Tensor{x.value().(*tensor.Tensor), x.value().(*tensor.Tensor)}
			}}}
	case reflect.TypeFor[*tensor.Device]():
		return []operand{constant(tensor.CPU())}
	case reflect.TypeFor[tensor.DType]():
		return []operand{constant(dt)}
	case reflect.TypeFor[*sparse.Matrix]():
		return []operand{{"sparse", func() any { return sparse.FromDense(tensor.Ones(3, 3)) }}}
	case reflect.TypeFor[[]int]():
		return []operand{constant([]int(nil)), constant([]int{0}), constant([]int{1}), constant([]int{-1}),
			constant(slices.Repeat([]int{1}, len(shape))), constant(shape)}
	case reflect.TypeFor[[]float64]():
		return []operand{constant([]float64{1}), constant([]float64{0})}
	case reflect.TypeFor[any]():
		return []operand{constant(0), constant(1), constant(0.0), constant(tensor.Reflect), x, mask}
	case reflect.TypeFor[[]any]():
		return []operand{constant([]any{"::-1"}), constant([]any{"..., ::-1"}), constant([]any{"0:1:-1"}),
			{"{mask}", func() any { return []any{mask.value()} }}, {"{ids}", func() any { return []any{ids.value()} }}}
	}
	switch p.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		for _, v := range []int{0, 1, -1, 2, n, 3} {
			list = append(list, constant(reflect.ValueOf(v).Convert(p).Interface()))
		}
	case reflect.Uint8:
		for v := range 3 {
			list = append(list, constant(reflect.ValueOf(v).Convert(p).Interface()))
		}
	case reflect.Float64, reflect.Float32:
		for _, v := range []float64{0, 1, 0.5} {
			list = append(list, constant(reflect.ValueOf(v).Convert(p).Interface()))
		}
	case reflect.Bool:
		list = []operand{constant(false), constant(true)}
	case reflect.String:
		for _, v := range []string{"sum", "amax", "ij->ij", "ij->ji", "i->i", "", "reflect", "constant"} {
			list = append(list, constant(reflect.ValueOf(v).Convert(p).Interface()))
		}
	case reflect.Struct:
		list = []operand{constant(reflect.Zero(p).Interface())}
	case reflect.Pointer, reflect.Slice, reflect.Func, reflect.Interface, reflect.Map:
		list = []operand{{"nil", func() any { return nil }}}
	default:
		list = []operand{constant(reflect.Zero(p).Interface())}
	}
	return list
}

// sharesNothing makes one call, overwrites its results, and compares the operands with what they were.
func sharesNothing(t *testing.T, name string, f reflect.Value, args []operand) (ok bool) {
	in, texts := make([]reflect.Value, len(args)), make([]string, len(args))
	var given, before []*tensor.Tensor
	for i, a := range args {
		texts[i] = a.text
		v := a.value()
		in[i] = reflect.Zero(f.Type().In(i))
		if v != nil {
			in[i] = reflect.ValueOf(v)
		}
		for _, x := range tensorsIn(v) {
			given, before = append(given, x), append(before, x.Copy())
		}
	}
	defer func() {
		if r := recover(); r != nil {
			ok = true // it does not take these
		}
	}()
	var out []reflect.Value
	if f.Type().IsVariadic() {
		out = f.CallSlice(in)
	} else {
		out = f.Call(in)
	}
	for _, o := range out {
		for _, y := range tensorsIn(o.Interface()) {
			if y.ElemCount() == 0 {
				continue
			}
			if e := tensor.Catch(func() error { y.ConstSet(0); return nil }); e != nil {
				t.Errorf("%s(%s): the result cannot be written to: %v", name, strings.Join(texts, ", "), e)
				return false
			}
			y.ConstSet(1)
			y.CopySet(y.ZerosLike())
		}
	}
	for i, x := range given {
		if !x.Equal(before[i]) {
			t.Errorf("%s(%s): a write to the result changes operand %d", name, strings.Join(texts, ", "), i)
			return false
		}
	}
	return true
}

// tensorsIn are the tensors of an argument or a result.
func tensorsIn(v any) (list []*tensor.Tensor) {
	switch v := v.(type) {
	case *tensor.Tensor:
		if v != nil {
			list = append(list, v)
		}
	case []*tensor.Tensor:
		for _, x := range v {
			if x != nil {
				list = append(list, x)
			}
		}
	case []any:
		for _, x := range v {
			list = append(list, tensorsIn(x)...)
		}
	}
	return list
}

// tensorComments are those of the functions of package tensor and those below it, and of the methods of Tensor.
func tensorComments(t *testing.T) map[string]string {
	comments := map[string]string{}
	files, err := filepath.Glob("../../../tensor/*.go")
	below, err2 := filepath.Glob("../../../tensor/*/*.go")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, file := range append(files, below...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && (fn.Recv == nil || isTensor(fn.Recv.List[0].Type)) {
				comments[f.Name.Name+"."+fn.Name.Name] = strings.Join(strings.Fields(fn.Doc.Text()), " ")
			}
		}
	}
	return comments
}

func isTensor(e ast.Expr) bool {
	p, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := p.X.(*ast.Ident)
	return ok && id.Name == "Tensor"
}
