package graph

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// number is a tensor of one element with memory of its own.
type number struct {
	value float64
	store *memory
}

// memory tells in what order it is given back.
type memory struct {
	backend.Storage
	backend.Marks
	name string
	log  *[]string
}

func (m *memory) MarkFreed() bool { return m.Marks.MarkFreed() }
func (m *memory) IsFreed() bool   { return m.Marks.IsFreed() }
func (m *memory) MarkKept()       { m.Marks.MarkKept() }
func (m *memory) IsKept() bool    { return m.Marks.IsKept() }
func (m *memory) Made(n uint64)   { m.Marks.Made(n) }
func (m *memory) Written(uint64)  {}

func (m *memory) Overwritten(func() uint64) bool { return false }
func (m *memory) Release()                       { *m.log = append(*m.log, m.name) }

var errUsed = errors.New("used up")

// chain is x → y → z with dy = 2·dz, dx = 3·dy + 5·dz; the memory of y's saved tensor has the number 25, that of z's 35.
func chain(log *[]string) (x, z *Node[*number], do *Tensors[*number]) {
	made := func(name string, v float64) *number {
		n := &number{v, &memory{name: name, log: log}}
		scope.Record(n.store, 0)
		return n
	}
	x = &Node[*number]{ID: 1, Number: 10, Op: "variable", Variable: &Variable{}}
	y := &Node[*number]{ID: 2, Number: 20, Op: "y", From: []Link[*number]{LinkTo(x)},
		Back: func(g *number) ([]*number, error) {
			made("temporary of y", 0)
			return []*number{made("dx", 3*g.value)}, nil
		}}
	z = &Node[*number]{ID: 3, Number: 30, Op: "z", From: []Link[*number]{LinkTo(y), LinkTo(x)},
		Back: func(g *number) ([]*number, error) {
			return []*number{made("dy", 2*g.value), made("dx of z", 5*g.value)}, nil
		}}
	z.Owned = []scope.Item{{Store: &memory{name: "saved by z", log: log}, Number: 25},
		{Store: &memory{name: "saved by y", log: log}, Number: 15}, {Store: &memory{name: "z", log: log}, Number: 29}}
	do = &Tensors[*number]{
		Memory: func(n *number) backend.Storage { return n.store },
		Sum: func(sum, d *number, _ Passing) *number {
			if sum == nil {
				return d
			}
			return made("sum", sum.value+d.value)
		},
		Whole:    func(sum *number) *number { return sum },
		Tracked:  func(*number) bool { return false },
		Operands: func(n *Node[*number], g *number, _ Passing) ([]*number, error) { return n.Back(g) },
		UsedUp:   func(*Node[*number]) error { return errUsed },
	}
	return x, z, do
}

// TestPass: memory is freed as soon as the pass does not need it, in the reverse order of its making, and once.
func TestPass(t *testing.T) {
	var log []string
	x, z, do := chain(&log)
	seed := &number{1, &memory{name: "seed", log: &log}}
	for range 2 {
		found, err := Pass(do, z, seed, Way[*number]{How: Retain})
		if err != nil || found.ByID[1].value != 11 || !slices.Equal(found.Order, []uint64{1}) {
			t.Fatalf("found %+v, %v", found, err)
		}
	}
	log = nil
	found, err := Pass(do, z, seed, Way[*number]{})
	if err != nil || found.ByID[1].value != 11 || len(found.Owned) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	want := []string{"z", "saved by z", "dx of z", "dx", "temporary of y", "dy", "saved by y"}
	got := slices.Clone(log)
	slices.Sort(got)
	sorted := slices.Clone(want)
	if slices.Sort(sorted); !slices.Equal(got, sorted) {
		t.Errorf("freed %q, want %q", log, want)
	}
	if slices.Index(log, "saved by y") < slices.Index(log, "saved by z") ||
		slices.Index(log, "dy") < slices.Index(log, "saved by z") {
		t.Errorf("freed in the order %q", log)
	}
	if z.Back != nil || x.used.Load() {
		t.Error("what the graph needs is still there, or a variable is used up")
	}
	if _, err := Pass(do, z, seed, Way[*number]{How: Retain}); !errors.Is(err, errUsed) {
		t.Errorf("a graph that is spent: %v", err)
	}
}

// TestReady: the gradient of a variable is passed on when no operation adds to it any more, once, in the frame around.
func TestReady(t *testing.T) {
	var log []string
	x, z, do := chain(&log)
	w := &Node[*number]{ID: 4, Number: 11, Op: "variable", Variable: &Variable{}}
	z.From = append(z.From, LinkTo(w), LinkTo(w)) // the last operation uses w twice, and the first uses x
	back := z.Back
	z.Back = func(g *number) ([]*number, error) {
		ds, err := back(g)
		return append(ds, &number{7, &memory{name: "dw", log: &log}}, nil), err
	}
	var around scope.Made
	defer scope.Enter(func(f *scope.Frame) { f.Made = &around })()
	found, err := Pass(do, z, &number{1, &memory{name: "seed", log: &log}}, Way[*number]{
		Ready: func(id uint64, g *number) {
			log = append(log, fmt.Sprintf("%d: %v", id, g.value))
			scope.Record(g.store, 0)
		}})
	if err != nil || found.ByID[x.ID].value != 11 || found.ByID[w.ID].value != 7 {
		t.Fatalf("found %+v, %v", found, err)
	}
	got := slices.DeleteFunc(slices.Clone(log), func(s string) bool { return s != "4: 7" && s != "1: 11" && s != "saved by y" })
	if !slices.Equal(got, []string{"4: 7", "1: 11", "saved by y"}) || len(around.Items) != 2 {
		t.Errorf("%q, %d recorded around", log, len(around.Items))
	}
}

// TestSorted: operands come after what is made of them, and leaves end it.
func TestSorted(t *testing.T) {
	_, z, _ := chain(new([]string))
	ids := func(nodes []*Node[*number]) (list []uint64) {
		for _, n := range nodes {
			list = append(list, n.ID)
		}
		return list
	}
	if got := ids(z.Sorted(0)); !slices.Equal(got, []uint64{3, 2, 1}) {
		t.Errorf("nodes %v", got)
	}
	if got := ids(z.Sorted(30)); !slices.Equal(got, []uint64{3}) {
		t.Errorf("up to a leaf: %v", got)
	}
}
