package spread

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// page are rows of which some have values, as a page has them.
type page struct {
	levels  []byte
	there   []uint64
	present int
	numbers []int32 // of values in a dictionary
}

// pages are of all kinds: short, long, full, empty, with few and with many missing values, at the given level.
func pages(level byte, values int) (all []page) {
	r := rand.New(rand.NewPCG(7, uint64(level)))
	for _, n := range []int{0, 1, 63, 64, 65, 128, 500} {
		for _, missing := range []float64{0, 0.05, 0.5, 0.95, 1} {
			p := page{levels: make([]byte, n)}
			for i := range p.levels {
				p.levels[i] = byte(r.IntN(int(level)))
				if r.Float64() >= missing {
					p.levels[i] = level
					p.numbers = append(p.numbers, int32(r.IntN(values)))
				}
			}
			p.there, p.present = Rows(p.levels, level)
			all = append(all, p)
		}
	}
	return all
}

func TestRows(t *testing.T) {
	for _, level := range []byte{1, 2, 5} {
		for _, p := range pages(level, 3) {
			if p.present != len(p.numbers) {
				t.Errorf("%d rows have values, want %d", p.present, len(p.numbers))
			}
			rows := 0
			for i := 0; i < len(p.levels); {
				lo, hi := Run(p.there, i, len(p.levels))
				for j := i; j < hi; j++ {
					if there := p.levels[j] == level; there != (j >= lo) {
						t.Fatalf("levels %v: row %d is in the run %d to %d from %d", p.levels, j, lo, hi, i)
					}
				}
				rows, i = rows+hi-lo, max(hi, lo)
			}
			if rows != p.present {
				t.Errorf("runs of %d rows, want %d", rows, p.present)
			}
		}
	}
}

func TestValues(t *testing.T) {
	dictionary := []float64{1.5, -2, 3}
	for _, p := range pages(1, len(dictionary)) {
		values, want := []float64{}, make([]float64, len(p.levels))
		for _, k := range p.numbers {
			values = append(values, dictionary[k])
		}
		next := 0
		for i, l := range p.levels {
			if l == 1 {
				want[i] = values[next]
				next++
			}
		}
		got, looked := slices.Repeat([]float64{9}, len(want)), slices.Repeat([]float64{9}, len(want))
		if !Values(got, values, p.there) || !slices.Equal(got, want) {
			t.Errorf("levels %v: %v, want %v", p.levels, got, want)
		}
		if !Lookup(looked, dictionary, p.numbers, p.there) || !slices.Equal(looked, want) {
			t.Errorf("levels %v, from a dictionary: %v, want %v", p.levels, looked, want)
		}
		if p.present == 0 {
			continue
		}
		if Values(got, values[1:], p.there) || Lookup(looked, dictionary, p.numbers[1:], p.there) {
			t.Error("too few values are enough")
		}
		if Lookup(looked, dictionary[:slices.Max(p.numbers)], p.numbers, p.there) {
			t.Error("a number beyond the dictionary is one of its")
		}
	}
}

func TestTexts(t *testing.T) {
	list := []string{"", "a", "of fifteen byte", "of sixteen bytes", strings.Repeat("long ", 60), "at the end"}
	joined := func(list []string) (b []byte, ends []uint32) {
		ends = []uint32{0}
		for _, s := range list {
			b = append(b, s...)
			ends = append(ends, uint32(len(b)))
		}
		return b, ends
	}
	dictionary := Dictionary(joined(list))
	for _, p := range pages(1, len(list)) {
		var texts []string
		for _, k := range p.numbers {
			texts = append(texts, list[k])
		}
		plain := Page(joined(texts))
		want, next := "", 0
		var ends []int64
		for _, l := range p.levels {
			if l == 1 {
				want += texts[next]
				next++
			}
			ends = append(ends, 100+int64(len(want)))
		}
		for name, l := range map[string]*Texts{"plain": plain, "a dictionary": dictionary} {
			size := l.First(min(p.present, l.Len()))
			if l == dictionary {
				ok := false
				if size, ok = l.Size(p.numbers); !ok {
					t.Fatal("numbers that are not of the dictionary")
				}
			}
			text, at := make([]byte, size), make([]int64, len(p.levels))
			n := l.Put(text, 100, at, p.numbers, p.there)
			if got := fmt.Sprint(string(text), at); n != len(want) || got != fmt.Sprint(want, ends) {
				t.Errorf("%s, levels %v: %d bytes, %.200s, want %.200s", name, p.levels, n, got, fmt.Sprint(want, ends))
			}
		}
	}
	if _, ok := dictionary.Size([]int32{6}); ok {
		t.Error("a number beyond the dictionary")
	}
	if _, ok := dictionary.Size([]int32{-1}); ok {
		t.Error("a number before the dictionary")
	}
}

func TestMemory(t *testing.T) {
	for _, n := range []int{0, 1, 100, 1 << 13, 1<<16 + 3} {
		m := Memory[float64](n)
		if len(m) != n {
			t.Errorf("%d numbers, want %d", len(m), n)
		}
		for i := range m {
			m[i] = float64(i)
		}
		Memory[float64](n) // which is not the same
		for i, x := range m {
			if x != float64(i) {
				t.Fatalf("number %d is %v", i, x)
			}
		}
	}
}
