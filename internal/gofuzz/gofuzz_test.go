package gofuzz

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestValid: go/types accepts nearly every first attempt at a program.
func TestValid(t *testing.T) {
	thorough.Slow(t)
	n := 40
	if thorough.On() {
		n = 100
	}
	invalid := 0
	for seed := range uint64(n) {
		if _, err := attempt(seed, 0, seed%2 == 1); err != nil {
			invalid++
			first, _, _ := strings.Cut(err.Error(), "\n")
			t.Logf("program %d: %s", seed, first)
		}
	}
	if invalid > n/20 {
		t.Errorf("%d of %d attempts are not valid", invalid, n)
	}
}

// TestSame: a program depends on nothing but its number.
func TestSame(t *testing.T) {
	thorough.Slow(t)
	three := Program(3)
	if again := Program(3); again != three {
		t.Error("two programs with one number")
	}
	if Program(4) == three {
		t.Error("one program with two numbers")
	}
}

func TestReduce(t *testing.T) {
	thorough.Slow(t)
	const src = `package main

import (
	"fmt"
	"strings"
)

type T struct{ a, b int }

func unused() string { return strings.ToUpper("x") }

func used(v T) int {
	for i := range 3 {
		if v.a > i {
			v.b++
		}
	}
	return v.a + v.b
}

func main() {
	x, y := used(T{a: 1}), "long"
	fmt.Println(y)
	switch x {
	case 1:
		fmt.Println("one")
	default:
		fmt.Println("culprit", used(T{}))
	}
}
`
	const want = `package main
import (
	"fmt"
)
func main() {
	fmt.Println("culprit")
}
`
	got := Reduce(t.Context(), src, func(s string) bool {
		if err := Check(s); err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
		return strings.Contains(s, `Println("culprit"`)
	})
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
