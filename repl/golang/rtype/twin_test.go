package rtype_test

// This file is compiled, and it is checked by go/types and built by package rtype. Tests compare the two.

//lint:file-ignore U1000 fields are here for the room that they take

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Defined types of every kind, with methods where fmt or encoding/json look for them.
type (
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Uintptr uintptr
	F32     float32
	F64     float64
	C64     complex64
	C128    complex128
	Str     string
	Ints    []int
	Bytes   []byte
	Three   [3]Int16
	One     [1]*Int
	None    [0]string
	Table   map[Str]Int
	Sends   chan<- Int
	Both    chan (<-chan Int)
	Op      func(a Int, more ...Str) (Three, error)
	IntPtr  *Int
	Any     any
	Empty   struct{}
)

type Weekday int

func (d Weekday) String() string {
	if d < 0 || d > 6 {
		panic("no such day: " + strconv.Itoa(int(d)))
	}
	return "SMTWTFS"[d : d+1]
}

func (d Weekday) MarshalText() ([]byte, error) {
	if d > 6 {
		return nil, &Problem{Code: 5, Text: "no such day"}
	}
	return []byte("day-" + d.String()), nil
}

func (d *Weekday) UnmarshalText(b []byte) error {
	i := strings.Index("SMTWTFS", strings.TrimPrefix(string(b), "day-"))
	if i < 0 {
		return &Problem{Code: 4, Text: "no day " + string(b)}
	}
	*d = Weekday(i)
	return nil
}

func (d *Weekday) Set(s string) error { return d.UnmarshalText([]byte(s)) }

// Problem is an error by its pointer, Trouble by its value.
type Problem struct {
	Code int
	Text string
	why  error
}

func (p *Problem) Error() string { return fmt.Sprintf("problem %d: %s", p.Code, p.Text) }
func (p *Problem) Unwrap() error { return p.why }

type Trouble struct{ What string }

func (t Trouble) Error() string { return "trouble: " + t.What }

func (t Trouble) Is(err error) bool { return err == io.EOF }

type Point struct {
	X, Y float64 `json:"-"`
	name string
}

func (p Point) Format(f fmt.State, verb rune) { fmt.Fprintf(f, "<%c %g,%g>", verb, p.X, p.Y) }

type Secret string

func (s Secret) GoString() string { return "Secret(…)" }

type Celsius float32

func (c Celsius) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%g°C", float32(c))) }

func (c *Celsius) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "°C"), 32)
	*c = Celsius(f)
	return err
}

// ByLen sorts, and is a heap by its pointer.
type ByLen []Str

func (b ByLen) Len() int           { return len(b) }
func (b ByLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b ByLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *ByLen) Push(x any)        { *b = append(*b, x.(Str)) }
func (b *ByLen) Pop() any {
	old := *b
	x := old[len(old)-1]
	*b = old[:len(old)-1]
	return x
}

// Method tables of kinds that an interface holds directly.
type (
	Handler func(string) string
	Header  map[string][]string
	Pipe    chan int
	Boxed   struct{ p *int }
	Boxes   [1]Boxed
	Odd     struct {
		_ struct{}
		h Header
	}
)

func (h Handler) Serve(s string) string  { return "<" + h(s) + ">" }
func (h Header) Get(k string) string     { return strings.Join(h[k], ",") }
func (p Pipe) Put(n int) int             { p <- n; return len(p) }
func (b Boxed) Value() int               { return *b.p }
func (b *Boxed) Replace(p *int)          { b.p = p }
func (b Boxes) Value() int               { return b[0].Value() + 1 }
func (o Odd) Get(k string) string        { return o.h.Get(k) + "!" }
func (n None) Size() int                 { return len(n) }
func (e Empty) Name() string             { return "empty" }
func (t Three) Sum() (sum Int16)         { return t[0] + t[1] + t[2] }
func (t *Three) Add(n Int16, at ...int8) { t.add(n, at) }
func (t *Three) add(n Int16, at []int8) {
	for _, i := range at {
		t[i] += n
	}
}

// Types that contain themselves.
type (
	Node struct {
		Value int   `json:"v"`
		Next  *Node `json:"n,omitempty"`
		kids  []*Node
		byKey map[Key]*Node
	}
	Key struct {
		n   *Node
		m   *map[Key]string
		s   string
		any any
	}
	Chain   []Chain
	Tree    map[string]Tree
	Step    func(Step, int) Step
	Self    *Self
	Wires   chan Wires
	Rows    [2][]Rows
	Left    []Right
	Right   map[int]Left
	Visitor interface {
		Visit(n *Node) (w Visitor)
		done() bool
	}
	walk struct {
		seen *[]int
		v    Visitor
	}
)

func (n *Node) Sum() int {
	if n == nil {
		return 0
	}
	return n.Value + n.Next.Sum()
}

func (n *Node) Accept(v Visitor) {
	for ; n != nil && v != nil && !v.done(); n = n.Next {
		v = v.Visit(n)
	}
}

func (n Node) With(next *Node) Node { n.Next = next; return n }

func (c Chain) Depth() int {
	if len(c) == 0 {
		return 0
	}
	return 1 + c[0].Depth()
}

func (s Step) Twice(n int) Step { return s(s, n) }

func (w walk) Visit(n *Node) Visitor { *w.seen = append(*w.seen, n.Value); return w }
func (w walk) done() bool            { return len(*w.seen) > 2 }

// Embedding.
type (
	Base struct {
		ID   int `json:"id"`
		note string
	}
	Middle struct {
		*Base
		Name string
	}
	Top struct {
		Middle
		Weekday
		Extra int
	}
	Locked struct {
		sync.Mutex
		n int
	}
	Stamped struct {
		What string
		time.Time
	}
	Reading struct {
		n int
		io.Reader
		fmt.Stringer
	}
	Failing struct {
		note string
		error
	}
	Visiting struct {
		Visitor
		n int
	}
	hidden struct{ X, y int }
	Shows  struct {
		hidden
		*Secret
		Z int
	}
	Shadow struct {
		Base
		Weekday
	}
	Deep    struct{ *Middle2 }
	Middle2 struct {
		pad [3]int64
		Top
	}
)

func (b Base) Describe() string       { return fmt.Sprint("base ", b.ID, b.note) }
func (b *Base) Rename(n string) *Base { b.note = n; return b }
func (b *Base) SetID(id int)          { b.ID = id }
func (b Base) secret() string         { return "s" + b.note }
func (h hidden) Sum() int             { return h.X + h.y }
func (s Shadow) String() string       { return "shadow of " + s.Weekday.String() }
func (s *Shadow) Describe() string    { return "own " + s.Base.Describe() }

// Signatures that fill the registers.
type Big struct {
	A, B, C, D, E, F, G, H int64
	S                      string
}

type Mixed struct {
	F float32
	I int8
	S string
	P *int
}

type Calls struct{ n int }

func (c Calls) Many(a int, b float64, s string, m Mixed, f float32, bs []byte, e error, i8 int8, big Big, z complex128,
	last uint16) (string, float64, Mixed, Big, error) {
	m.F += float32(b)
	big.S += s
	return fmt.Sprint(c.n, a, b, s, m.I, f, bs, e, i8, z, last), b * 2, m, big, e
}

func (c *Calls) Join(sep string, parts ...any) (n int, s string) {
	c.n += len(parts)
	return c.n, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(parts...)), sep), "[]")
}

func (c Calls) Floats(a, b, d, e, f, g, h, i, j, k, l, m, n, o, p, q float64) float64 {
	return a + b + d + e + f + g + h + i + j + k + l + m + n + o + p + q + float64(c.n)
}

func (c Calls) Funcs(f func(Int) Str, g Op) (Str, func() int) {
	return f(Int(c.n)), func() int { t, _ := g(1); return int(t[0]) }
}

// Generic types.
type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p Pair[K, V]) String() string { return fmt.Sprint(p.Key, "=", p.Val) }
func (p *Pair[K, V]) Set(v V)       { p.Val = v }

// Interfaces with names.
type (
	Shape interface {
		Area() float64
		Scale(by float64) Shape
	}
	Square float64
	Circle struct{ r float64 }
)

func (s Square) Area() float64          { return float64(s * s) }
func (s Square) Scale(by float64) Shape { return Square(float64(s) * by) }
func (c *Circle) Area() float64         { return 3 * c.r * c.r }
func (c *Circle) Scale(by float64) Shape {
	c.r *= by
	return c
}

// Defined from compiled types, whose hidden fields they take over.
type (
	Stamp time.Time
	Guard sync.Mutex
	Text  strings.Builder
	Count struct {
		b bool
		n atomic.Int64
	}
)

func (s Stamp) Year() int { return time.Time(s).Year() }

// Padding, blanks and sizes at the edges.
type (
	Padded struct {
		A int8
		B int64
		C int8
	}
	Blank struct {
		A int32
		_ int32
		_ string
		B string
		_ func()
	}
	BlankKey struct {
		A int32
		_ int32
		_ string
		B string
	}
	Tail struct {
		A int64
		Z struct{}
	}
	Wide struct {
		p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15 *int
		n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13, n14, n15 int8
		s00, s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12, s13, s14, s15 string
		i00, i01, i02, i03, i04, i05, i06, i07, i08, i09, i10, i11, i12, i13, i14, i15 any
		b00, b01, b02, b03, b04, b05, b06, b07, b08, b09, b10, b11, b12, b13, b14, b15 []byte
		m00, m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15 map[string]int
		f00, f01, f02, f03                                                             func()
	}
	Huge struct {
		pad  [300000]byte
		list [40000]*int
	}
)

var (
	_ sort.Interface = ByLen{}
	_                = errors.New
)
