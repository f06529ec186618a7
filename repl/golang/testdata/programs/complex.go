package main

import "fmt"

const (
	R  = 5
	I  = 6i
	C1 = R + I
)

type Z complex64

func main() {
	var c complex128 = C1
	var d complex64 = 2i
	var z Z = 1 + 2i
	fmt.Println(C1, c*c, d, z, real(c), imag(c), I*I == -36)
	fmt.Printf("%v %.1f\n", -C1, c+1)
}
