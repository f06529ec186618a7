package train_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn/train"
	"github.com/gorocm/gorocm/tensor/random"
)

var cpu = tensor.CPU()

// drawn are the elements of the batches of the epochs, as text.
func drawn(l *train.Loader, epochs int) string {
	var b strings.Builder
	for range epochs {
		for i, batch := range l.Batches() {
			fmt.Fprint(&b, i, ":")
			for _, t := range batch {
				fmt.Fprintf(&b, "%v%v ", t.Dims(), t.FlattenAll().ToVec1())
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func numbers(n int) *tensor.Tensor { return cpu.Arange(tensor.F32, float64(n)) }

// TestLoaderOrder: the order of the data, batches and ends of epochs; and what a batch gathers is what its items stack.
func TestLoaderOrder(t *testing.T) {
	x := numbers(14).Reshape(7, 2)
	l := train.NewLoader(train.Tensors(x, numbers(7)), train.LoaderOptions{Batch: 3})
	want := "0:[3 2][0 1 2 3 4 5] [3][0 1 2] 1:[3 2][6 7 8 9 10 11] [3][3 4 5] 2:[1 2][12 13] [1][6] \n"
	if got := drawn(l, 1); got != want {
		t.Errorf("got  %s want %s", got, want)
	}
	l = train.NewLoader(train.Tensors(x, numbers(7)), train.LoaderOptions{Batch: 3, DropLast: true})
	if n, err := l.Len(); n != 2 || err != nil {
		t.Errorf("%d batches: %v", n, err)
	}
	if got := drawn(l, 2); strings.Contains(got, "2:") {
		t.Errorf("batches that are not whole: %s", got)
	}
	if s := l.State(); s != (train.LoaderState{Epoch: 2}) {
		t.Errorf("after two epochs at %+v", s)
	}
	byItem := train.Func(7, func(i int) []*tensor.Tensor { return []*tensor.Tensor{x.Get(i), numbers(7).Get(i)} })
	o := train.LoaderOptions{Batch: 2, Shuffle: true, Seed: 5}
	whole, single := drawn(train.NewLoader(train.Tensors(x, numbers(7)), o), 3), drawn(train.NewLoader(byItem, o), 3)
	if whole != single {
		t.Errorf("gathered %s, stacked %s", whole, single)
	}
	epochs := strings.Split(whole, "\n")
	if epochs[0] == epochs[1] || epochs[0] == want {
		t.Errorf("epochs are not shuffled anew: %s", whole)
	}
	if other := drawn(train.NewLoader(byItem, train.LoaderOptions{Batch: 2, Shuffle: true, Seed: 6}), 3); other == whole {
		t.Error("another seed gives the same order")
	}
}

// TestLoaderWorkers: what comes out does not depend on workers, devices, nor on where a loop was left and resumed.
func TestLoaderWorkers(t *testing.T) {
	o := train.LoaderOptions{Batch: 3, Shuffle: true, Seed: 9,
		Transform: func(item train.Item, g *random.Generator) (train.Item, error) {
			return train.Item{item[0].Add(g.Uniform(0, 0.5, nil, tensor.F32, cpu))}, nil
		}}
	data := train.Tensors(numbers(20))
	want := drawn(train.NewLoader(data, o), 2)
	for _, workers := range []int{1, 2, 5} {
		for _, dev := range []*tensor.Device{nil, cpu} {
			o.Workers, o.Device = workers, dev
			if got := drawn(train.NewLoader(data, o), 2); got != want {
				t.Errorf("%d workers: %s, want %s", workers, got, want)
			}
		}
	}
	var parts strings.Builder
	var state train.LoaderState
	for state.Epoch < 2 { // a loader anew for every two batches
		l := train.NewLoader(data, o)
		l.SetState(state)
		n := 0
		for i, batch := range l.Batches() {
			fmt.Fprintf(&parts, "%d:%v%v ", i, batch[0].Dims(), batch[0].ToVec1())
			if n++; n == 2 {
				break
			}
		}
		if l.State().Epoch > state.Epoch {
			parts.WriteString("\n")
		}
		state = l.State()
	}
	if parts.String() != want {
		t.Errorf("in parts %s, want %s", parts.String(), want)
	}
}

// TestLoaderErrors: an item that fails ends the loop before its batch, and Err names it; so do panics.
func TestLoaderErrors(t *testing.T) {
	bad := errors.New("unreadable")
	for _, workers := range []int{0, 3} {
		for name, fail := range map[string]func() ([]*tensor.Tensor, error){
			"unreadable":        func() ([]*tensor.Tensor, error) { return nil, bad },
			"panic: broken":     func() ([]*tensor.Tensor, error) { panic("broken") },
			"inner sizes":       func() ([]*tensor.Tensor, error) { return []*tensor.Tensor{numbers(3).MatMul(numbers(4))}, nil },
			"Padded makes them": func() ([]*tensor.Tensor, error) { return []*tensor.Tensor{numbers(4)}, nil },
		} {
			data := train.FuncWith(9, func(i int) ([]*tensor.Tensor, error) {
				if i == 5 {
					return fail()
				}
				return []*tensor.Tensor{numbers(3)}, nil
			})
			l := train.NewLoader(data, train.LoaderOptions{Batch: 2, Workers: workers})
			n := 0
			for range l.Batches() {
				n++
			}
			if err := l.Err(); n != 2 || err == nil || !strings.Contains(err.Error(), name) ||
				!strings.Contains(err.Error(), "epoch 0, batch 2") {
				t.Errorf("%d workers, %s: %d batches, then %v", workers, name, n, err)
			}
		}
	}
	l := train.NewLoader(train.Tensors(numbers(5)), train.LoaderOptions{Sampler: func(uint64, int) []int { return []int{1, 5} }})
	for range l.Batches() {
		t.Error("a batch of items that are not there")
	}
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "item 5 at position 1") {
		t.Error(err)
	}
}

func TestByWeight(t *testing.T) {
	s := train.ByWeight([]float64{0, 1, 3}, 4000, true)
	count := make([]int, 3)
	for _, id := range s(1, 0) {
		count[id]++
	}
	if count[0] != 0 || count[1] < 850 || count[1] > 1150 {
		t.Errorf("counts %v, want about 0, 1000, 3000", count)
	}
	if !slices.Equal(s(1, 0), s(1, 0)) || slices.Equal(s(1, 0), s(1, 1)) || slices.Equal(s(1, 0), s(2, 0)) {
		t.Error("draws are not those of the seed and the epoch")
	}
	if ids := train.ByWeight([]float64{1, 2, 3}, 3, false)(4, 2); len(ids) != 3 {
		t.Error(ids)
	} else if slices.Sort(ids); !slices.Equal(ids, []int{0, 1, 2}) {
		t.Error(ids)
	}
}

func TestPadded(t *testing.T) {
	data := train.Func(4, func(i int) []*tensor.Tensor {
		return []*tensor.Tensor{numbers(i + 1).Add(1), cpu.Full(tensor.F32, 7, i+1)}
	})
	for _, test := range []struct {
		o    train.PadOptions
		want string
	}{
		{train.PadOptions{}, "0:[2 2][1 0 1 2] [2 2][7 0 7 7] 1:[2 4][1 2 3 0 1 2 3 4] [2 4][7 7 7 0 7 7 7 7] \n"},
		{train.PadOptions{Values: []float64{0, -100}, Left: true, Lengths: true},
			"0:[2 2][0 1 1 2] [2 2][-100 7 7 7] [2][1 2] 1:[2 4][0 1 2 3 1 2 3 4] [2 4][-100 7 7 7 7 7 7 7] [2][3 4] \n"},
		{train.PadOptions{Multiple: 3}, "0:[2 3][1 0 0 1 2 0] [2 3][7 0 0 7 7 0] " +
			"1:[2 6][1 2 3 0 0 0 1 2 3 4 0 0] [2 6][7 7 7 0 0 0 7 7 7 7 0 0] \n"},
	} {
		l := train.NewLoader(data, train.LoaderOptions{Batch: 2, Collate: train.Padded(test.o)})
		if got := drawn(l, 1); got != test.want || l.Err() != nil {
			t.Errorf("%+v:\n got %s want %s %v", test.o, got, test.want, l.Err())
		}
	}
}

func TestImagesAndLines(t *testing.T) {
	dir := t.TempDir()
	for i, class := range []string{"cats", "dogs"} {
		if err := os.Mkdir(filepath.Join(dir, class), 0o755); err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			img := cpu.Full(tensor.U8, 10*i+n, 3, 2, 2)
			if err := formats.WriteImage(filepath.Join(dir, class, fmt.Sprintf("%d.png", n)), img); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := filepath.Join(dir, "cats", "notes.txt")
	if err := os.WriteFile(text, []byte("a bc\r\n\nd"), 0o600); err != nil {
		t.Fatal(err)
	}
	images, err := train.Images(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := drawn(train.NewLoader(images, train.LoaderOptions{Batch: 4}), 1)
	if !strings.HasSuffix(got, "[4][0 0 1 1] \n") || !strings.Contains(got, "0:[4 3 2 2][0 0") ||
		!slices.Equal(images.Classes, []string{"cats", "dogs"}) {
		t.Error(got, images.Classes)
	}
	if _, err := train.Images(filepath.Join(dir, "cats")); err == nil {
		t.Error("a folder without folders is no error")
	}
	lines, err := train.Lines(text, func(line string) ([]*tensor.Tensor, error) {
		if line == "d" {
			return nil, errors.New("no d")
		}
		return []*tensor.Tensor{numbers(len(line))}, nil
	})
	if err != nil || lines.Len() != 3 {
		t.Fatal(err)
	}
	if item, err := lines.At(0); err != nil || item[0].Dim(0) != 4 {
		t.Error(item, err)
	}
	if _, err := lines.At(2); err == nil || !strings.Contains(err.Error(), "notes.txt: line 3: no d") {
		t.Error(err)
	}
}

func TestSplit(t *testing.T) {
	data := train.Join(train.Tensors(numbers(6)), train.Tensors(numbers(4).Add(6)))
	parts := train.Split(data, 1, 7, 3)
	var all []float64
	for _, part := range parts {
		for i := range part.Len() {
			item, err := part.At(i)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, item[0].ToScalar())
		}
	}
	if slices.IsSorted(all) {
		t.Errorf("not at random: %v", all)
	}
	if slices.Sort(all); !slices.Equal(all, numbers(10).ToVec1()) || parts[1].Len() != 3 {
		t.Errorf("parts have %v", all)
	}
	if err := tensor.Catch(func() error { train.Split(data, 1, 7, 4); return nil }); !errors.Is(err, tensor.ErrShape) {
		t.Error(err)
	}
}
