// %get golang.org/x/exp/constraints@v0.0.0-20260908205506-85c1c2202aba

package main

import (
	"fmt"

	"golang.org/x/exp/constraints"
)

type Celsius float32

func Sum[T constraints.Integer | constraints.Float | constraints.Complex](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

func Largest[T constraints.Ordered](xs ...T) T {
	m := xs[0]
	for _, x := range xs {
		if x > m {
			m = x
		}
	}
	return m
}

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(0.5, 0.25), Sum(1+2i, 3i), Sum[Celsius](20, 1.5))
	fmt.Println(Largest("b", "c", "a"), Largest[uint8](3, 200), Largest(Celsius(1), Celsius(-1)))
}

// Output:
// 6 0.75 (1+5i) 21.5
// c 200 1
