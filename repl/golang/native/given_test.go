package native

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestGivenInPlace: of random functions, many have others that are given literals in the place of calls.
func TestGivenInPlace(t *testing.T) {
	thorough.Slow(t)
	p := New(plainType)
	p.SetHost(testHost())
	var units []Unit
	for _, s := range sourcesOf(t, randomSource(4)) {
		units = append(units, Unit{Source: s, Name: s.Object.Name(), Called: s.Object})
	}
	n := 0
	for _, w := range p.Plan(units).list {
		if w.gave && w.why == nil {
			n++
		}
	}
	if n < 8 {
		t.Errorf("of %d functions, %d have others in the place of calls", len(units), n)
	}
}

// TestGivenNewer: while a function runs that has another one in the place of its calls, that gets a newer version, which
// keeps the literals that it is given. They and the function go on with the same variables.
func TestGivenNewer(t *testing.T) {
	const source = `
func each(keep []func(int), xs []int, f func(int)) int { for _, x := range xs { f(x) }; return 1 }
func upTo(n int) func(func(int) bool) { return func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } }
func use(hook func(int), keep []func(int), xs []int) int {
	t, n := 0, 1
	for i := range upTo(6) {
		hook(i)
		c := 0
		n += each(keep, xs, func(x int) {
			t += x * n
			c++
			if x > 2 { t += each(keep, xs[:1], func(y int) { c += y; t ^= n }) }
		})
		if keep[0] != nil { keep[0](10 + i) }
		t = t*3 + c
		if keep[1] != nil && i == 4 { keep[1](7); continue }
		if t < -1<<60 { break }
	}
	for j := range upTo(2) { t += j }
	return t*10 + n
}`
	const newer = `
func each(keep []func(int), xs []int, f func(int)) int {
	if len(xs) > 1 { keep[1] = keep[0]; keep[0] = f }
	for _, x := range xs { f(x + 1) }
	return 2
}`
	for switchAt := range 7 {
		p := New(plainType)
		p.SetHost(testHost())
		sources := sourcesOf(t, source)
		r := compileSources(p, sources)
		type use = func(func(int), []func(int), []int) int
		f := as[use](t, r, "use")
		got := f(func(i int) {
			if i == switchAt {
				n := sourcesOf(t, newer)[0]
				if o := p.Compile([]Unit{{Source: n, Name: "each", Called: n.Object, Older: sources[0].Object}})[0]; o.Reason != nil {
					t.Error(o.Reason)
				}
			}
		}, make([]func(int), 2), []int{1, 2, 3})
		version := 1
		want := givenUse(func(i int) {
			if i == switchAt {
				version = 2
			}
		}, &version, make([]func(int), 2), []int{1, 2, 3})
		if got != want {
			t.Errorf("newer from %d on: %d, not %d", switchAt, got, want)
		}
	}
}

func givenEach(version *int, keep []func(int), xs []int, f func(int)) int {
	if *version == 1 {
		for _, x := range xs {
			f(x)
		}
		return 1
	}
	if len(xs) > 1 {
		keep[1] = keep[0]
		keep[0] = f
	}
	for _, x := range xs {
		f(x + 1)
	}
	return 2
}

func givenUse(hook func(int), version *int, keep []func(int), xs []int) int {
	t, n := 0, 1
	for i := range 6 {
		hook(i)
		c := 0
		n += givenEach(version, keep, xs, func(x int) {
			t += x * n
			c++
			if x > 2 {
				t += givenEach(version, keep, xs[:1], func(y int) { c += y; t ^= n })
			}
		})
		if keep[0] != nil {
			keep[0](10 + i)
		}
		t = t*3 + c
		if keep[1] != nil && i == 4 {
			keep[1](7)
			continue
		}
	}
	for j := range 2 {
		t += j
	}
	return t*10 + n
}
