package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame"
	"github.com/gorocm/gorocm/tensor/nn"
)

// state has values of all kinds.
type state struct {
	B      bool
	I      int8
	U      uint16
	F      float32
	C      complex128
	S      string
	Bytes  []byte
	Part   []byte
	Array  [3][2]int
	Row    []int
	At     *int
	Map    map[string]*state
	Same   map[string]*state
	Any    any
	Anys   []any
	When   time.Time
	Next   *state
	Tensor *tensor.Tensor
	Device *tensor.Device
	hidden string
	F2     func()
	Rate   nn.Schedule
	Layer  *nn.Linear
	Opt    nn.Optimizer
	Frame  frame.Frame
	Text   bytes.Buffer
	Waits  sync.WaitGroup
	Err    error
	Script *unicode.RangeTable
	Part2  []uint32
	Count  atomic.Int64
	Exp    regexp.Regexp
}

func init() { session = reflect.TypeFor[state]().PkgPath() }

func example() *state {
	s := &state{B: true, I: -3, U: 60000, F: 1.5, C: 1 + 2i, S: "text", Bytes: []byte("hello"), hidden: "too",
		When: time.Unix(1, 2).UTC(), Tensor: tensor.Of(1, 2, 3), Device: tensor.CPU()}
	s.Rate = nn.Sequence([]int{3}, nn.Warmup(1, 2, nn.Constant(0.5)), nn.MultiStepDecay(1, 0.5, 1, 2))
	w := tensor.NewVar(tensor.Of(1, 2))
	s.Layer, s.Opt = &nn.Linear{Weight: w}, nn.NewAdamW([]*tensor.Tensor{w}, nn.DefaultAdamW())
	s.Frame = *frame.New("n", []int{1, 2})
	s.Text.WriteString("text")
	s.Part = s.Bytes[1:3]
	s.Row = s.Array[1][:]
	s.At = &s.Array[2][1]
	s.Map = map[string]*state{"self": s, "none": nil}
	s.Same = s.Map
	s.Any = s
	s.Err, s.Script, s.Part2 = fmt.Errorf("%w", io.EOF), unicode.Latin, crc32.IEEETable[2:4]
	s.Count.Store(7)
	s.Exp = *regexp.MustCompilePOSIX("a|ab")
	s.Anys = []any{1, "x", nil, []int{1, 2}}
	s.Next = s
	return s
}

// written is a file with variables, given as pointers, and the types of values in their interfaces.
func written(t testing.TB, vars ...any) (file []byte, boxed []reflect.Type) {
	t.Helper()
	w := NewWriter()
	for _, v := range vars {
		if err := w.Add(reflect.ValueOf(v)); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := w.Write(&b, Header{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.Boxed()
}

// TestRound: what is read is as it was written, and shares what was shared.
func TestRound(t *testing.T) {
	x := example()
	file, boxed := written(t, &x)
	r, err := Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var y *state
	if err := r.Read([]reflect.Value{reflect.ValueOf(&y)}, boxed); err != nil {
		t.Fatal(err)
	}
	if y.Next != y || y.Map["self"] != y || y.Any != any(y) || y.hidden != "too" || y.C != 1+2i || !y.When.Equal(x.When) {
		t.Errorf("%+v", y)
	}
	if !errors.Is(y.Err, io.EOF) || y.Script != unicode.Latin || &y.Part2[0] != &crc32.IEEETable[2] ||
		y.Count.Load() != 7 || y.Exp.FindString("ab") != "ab" {
		t.Errorf("%v %v %v %v %v", y.Err, y.Script, y.Part2, &y.Count, &y.Exp)
	}
	opt := y.Opt.(*nn.AdamW)
	for i := range 9 {
		if y.Rate(i) != x.Rate(i) {
			t.Errorf("the rate of step %d is %v, want %v", i, y.Rate(i), x.Rate(i))
		}
	}
	if opt.Vars()[0] != y.Layer.Weight || y.Frame.String() != x.Frame.String() || y.Text.String() != "text" {
		t.Errorf("%v %v %v %v", opt.Vars(), y.Layer, &y.Frame, &y.Text)
	}
	if opt.SetLearningRate(0.5); opt.Config.LR != 0.5 {
		t.Errorf("the optimizer changes another configuration than its own: %v", opt.Config)
	}
	nn.BackwardStep(opt, y.Layer.Weight.Sqr().Sum())
	nn.BackwardStep(y.Opt, y.Layer.Weight.Sqr().Sum())
	if w := y.Layer.Weight.ToVec1(); w[0] > 0.1 || x.Layer.Weight.ToVec1()[0] != 1 {
		t.Errorf("steps lead to %v", w)
	}
	y.Part[0], y.Row[1], *y.At = 'E', 44, 66
	y.Same["new"] = y
	if string(y.Bytes) != "hEllo" || y.Array != [3][2]int{1: {0, 44}, 2: {0, 66}} || y.Map["new"] != y ||
		cap(y.Part) != 4 || !y.Tensor.Equal(x.Tensor) || y.Device != tensor.CPU() || !reflect.DeepEqual(y.Anys, x.Anys) {
		t.Errorf("%+v", y)
	}
	if string(x.Bytes) != "hello" {
		t.Error("reading has changed what was written")
	}
}

// TestLacking: where types are lacking, what leads to their values is left out, and all else is read.
func TestLacking(t *testing.T) {
	a, b, d, x := any(7), []any{1, "s"}, "last", example()
	c := map[string]any{"a": &a}
	file, boxed := written(t, &x, &a, &b, &c, &d)
	r, err := Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range boxed {
		if u != reflect.TypeFor[int]() && u != reflect.TypeFor[string]() {
			boxed[i] = nil
		}
	}
	var b2 []any
	var c2 map[string]any
	var a2, d2 = any(nil), ""
	err = r.Read([]reflect.Value{{}, reflect.ValueOf(&a2), reflect.ValueOf(&b2), reflect.ValueOf(&c2), reflect.ValueOf(&d2)}, boxed)
	if err != nil || a2 != any(7) || !reflect.DeepEqual(b2, b) || c2 != nil || d2 != "last" || !slices.Equal(r.Left, []int{0, 3}) {
		t.Error(err, a2, b2, c2, d2, r.Left)
	}
}

// TestOtherParts: where a type of a compiled package has other fields, since another version has written the file, what
// leads to its values is left out, and all else is read.
func TestOtherParts(t *testing.T) {
	type pair struct {
		A int
		B *bytes.Buffer
	}
	a, b, c := bytes.NewBufferString("a"), map[string]bytes.Buffer{"b": {}}, "c"
	d, e := pair{1, bytes.NewBufferString("d")}, [2]int{5, 6}
	f, g := any(bytes.Buffer{}), []bytes.Buffer{{}, {}}
	file, boxed := written(t, &a, &b, &c, &d, &e, &f, &g)
	body := bytes.Replace(file[len(magic):len(file)-sha256.Size], []byte("lastread"), []byte("lastdone"), 1)
	r, err := open(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	a, b, c, d, e, f, g = nil, nil, "", pair{}, [2]int{}, nil, nil
	var vars []reflect.Value
	for _, v := range []any{&a, &b, &c, &d, &e, &f, &g} {
		vars = append(vars, reflect.ValueOf(v))
	}
	err = r.Read(vars, boxed)
	if err != nil || c != "c" || e != [2]int{5, 6} || !slices.Equal(r.Left, []int{0, 1, 3, 5, 6}) ||
		!slices.Equal(r.Other, []string{"bytes.Buffer"}) || a != nil || b != nil || d.A != 0 || f != nil || g != nil {
		t.Error(err, c, e, r.Left, r.Other, a, b, d, f, g)
	}
}

// TestOlder: a file of the versions that did not write the types of variables, and how functions were made, is read.
func TestOlder(t *testing.T) {
	type pair struct {
		A int
		B *[]any
	}
	x := pair{1, &[]any{2, "b"}}
	file, boxed := written(t, &x)
	body := file[len(magic) : len(file)-sha256.Size]
	older := regexp.MustCompile(`"functions":true,|,"roots":\[[0-9,]*\]`).ReplaceAllFunc(body, func(b []byte) []byte {
		return bytes.Repeat([]byte(" "), len(b))
	})
	if bytes.Equal(older, body) {
		t.Fatalf("%q", body)
	}
	r, err := open(bytes.NewReader(older), int64(len(older)))
	if err != nil || r.Header.Functions || r.Header.Roots != nil {
		t.Fatal(err, r)
	}
	want := x
	x = pair{}
	if err := r.Read([]reflect.Value{reflect.ValueOf(&x)}, boxed); err != nil || !reflect.DeepEqual(x, want) {
		t.Error(err, x)
	}
}

// TestOpened: no type whose fields are kept holds an address or a handle as a number, which would mean something else in
// another process. Functions, channels and types of other packages are refused when they are met.
func TestOpened(t *testing.T) {
	for path := range opened {
		folder, ours := strings.CutPrefix(path, module)
		if !ours {
			continue
		}
		files, err := filepath.Glob("../../../" + folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(path, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.TypeSpec); ok {
					ast.Inspect(s.Type, func(n ast.Node) bool {
						id, ok := n.(*ast.Ident)
						if ok && (id.Name == "uintptr" || id.Name == "Pointer") && !transient[s.Name.Name] {
							t.Errorf("%s: %s holds a %s", file, s.Name.Name, id.Name)
						}
						return true
					})
				}
				return true
			})
		}
	}
}

// transient are types that live as long as one call.
var transient = map[string]bool{"visit": true, "tree": true}

// TestLeftOut: what has no meaning elsewhere is told, and the variables before and after are kept.
func TestLeftOut(t *testing.T) {
	w := NewWriter()
	a, b, c, d := 1, &state{Next: &state{F2: func() {}}}, []chan int{nil, make(chan int)}, "x"
	for _, tt := range []struct {
		v    any
		want string
	}{{&a, ""}, {&b, ".Next.F2 is a function value"}, {&c, "[1] is a channel"}, {&d, ""}} {
		err := w.Add(reflect.ValueOf(tt.v))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	var f bytes.Buffer
	if err := w.Write(&f, Header{}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(bytes.NewReader(f.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	a, d = 0, ""
	if err := r.Read([]reflect.Value{reflect.ValueOf(&a), reflect.ValueOf(&d)}, nil); err != nil || a != 1 || d != "x" {
		t.Error(err, a, d)
	}
}

// TestLongList: a list may be longer than a stack is deep.
func TestLongList(t *testing.T) {
	thorough.Slow(t)
	type node struct{ next *node }
	var list *node
	const n = 200_000
	for range n {
		list = &node{list}
	}
	file, _ := written(t, &list)
	r, err := Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	list = nil
	if err := r.Read([]reflect.Value{reflect.ValueOf(&list)}, nil); err != nil {
		t.Fatal(err)
	}
	got := 0
	for ; list != nil; list = list.next {
		got++
	}
	if got != n {
		t.Errorf("%d nodes, want %d", got, n)
	}
}

// TestDamaged: a damaged file is refused before anything is read.
func TestDamaged(t *testing.T) {
	x := example()
	file, _ := written(t, &x)
	for _, at := range []int{0, len(magic) + 5, len(file) / 2, len(file) - 40, len(file) - 1} {
		bad := bytes.Clone(file)
		bad[at] ^= 4
		if _, err := Open(bytes.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "checkpoint") {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	for _, n := range []int{0, 5, len(magic), len(magic) + 40, len(file) - 1} {
		if _, err := Open(bytes.NewReader(file[:n])); err == nil {
			t.Errorf("%d bytes are taken", n)
		}
	}
}

// TestMutated: a file that differs in some bytes is refused, or read.
func TestMutated(t *testing.T) {
	thorough.Slow(t)
	n := 100
	if thorough.On() {
		n = 1000
	}
	x := example()
	file, boxed := written(t, &x)
	body := file[len(magic) : len(file)-sha256.Size]
	r, refused := rand.New(rand.NewPCG(1, 2)), 0
	for range n {
		b := bytes.Clone(body)
		for range 1 + r.IntN(3) {
			b[2+r.IntN(len(b)-2)] = []byte{byte(r.IntN(256)), '0' + byte(r.IntN(10)), byte(r.IntN(8))}[r.IntN(3)]
		}
		for _, types := range [][]reflect.Type{boxed, make([]reflect.Type, len(boxed))} {
			f, err := open(bytes.NewReader(b), int64(len(b)))
			if err == nil {
				var y *state
				vars := []reflect.Value{reflect.ValueOf(&y)}
				if types[0] == nil {
					vars[0] = reflect.Value{}
				}
				err = f.Read(vars, types)
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < n/2 {
		t.Errorf("%d of %d are refused", refused, 2*n)
	}
}

// FuzzRead: a file that somebody has made ends with an error, or gives a value whose parts can be read.
func FuzzRead(f *testing.F) {
	x := example()
	file, boxed := written(f, &x)
	body := file[len(magic) : len(file)-sha256.Size]
	f.Add(body)
	head := bytes.LastIndex(body, []byte("]}")) + 2
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > head { // its values, with the header that fits
			b = append(bytes.Clone(body[:head]), b[head:]...)
		}
		r, err := open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if lacking, err := open(bytes.NewReader(b), int64(len(b))); err == nil {
			_ = lacking.Read([]reflect.Value{{}}, make([]reflect.Type, len(boxed))) // a session without the types
		}
		var y *state
		if err := r.Read([]reflect.Value{reflect.ValueOf(&y)}, boxed); err != nil || y == nil {
			return
		}
		for _, v := range y.Map {
			_ = v
		}
		sum := len(y.S) + len(y.Bytes) + len(y.Anys)
		for _, v := range y.Bytes {
			sum += int(v)
		}
		for _, v := range y.Row {
			sum += v
		}
		if y.At != nil {
			sum += *y.At
		}
	})
}
