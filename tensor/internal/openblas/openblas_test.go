package openblas

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCandidates(t *testing.T) {
	if len(names()) == 0 {
		t.Skip("this system has no names for the library")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, filepath.Base(names()[0]))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := append([]string{file}, names()...)
	if got := candidates(string(os.PathListSeparator) + folder); !slices.Equal(got, want) {
		t.Errorf("candidates are %q, want %q", got, want)
	}
	if l := open([]string{file}); l != nil {
		t.Errorf("an empty file was loaded as %s", l.Name)
	}
}

func TestMultiply(t *testing.T) {
	l := open(candidates(os.Getenv("GOROCM_LIBRARY_PATH")))
	if l == nil {
		t.Skipf("none of %q is here", names())
	}
	testMultiply[float32](t, l)
	testMultiply[float64](t, l)
}

func testMultiply[T float32 | float64](t *testing.T, l *Library) {
	const m, n, k, wide = 5, 7, 3, 11
	at := func(x Matrix[T], r, c int) T {
		if x.Transposed {
			r, c = c, r
		}
		return x.Data[r*x.Stride+c]
	}
	for form := range 4 {
		a := Matrix[T]{make([]T, wide*wide), wide, form&1 != 0}
		b := Matrix[T]{make([]T, wide*wide), wide, form&2 != 0}
		c := make([]T, m*wide)
		for i := range a.Data {
			a.Data[i], b.Data[i] = T(i%13-6), T(i%17-8)
		}
		for i := range c {
			c[i] = -1
		}
		Multiply(l, m, n, k, a, b, c, wide)
		for r := range m {
			for col := range wide {
				want := T(-1) // what lies between the rows is left alone
				if col < n {
					want = 0
					for i := range k {
						want += at(a, r, i) * at(b, i, col)
					}
				}
				if got := c[r*wide+col]; got != want {
					t.Fatalf("%s, form %d: element %d, %d is %v, want %v", l.Name, form, r, col, got, want)
				}
			}
		}
	}
}
