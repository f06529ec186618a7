package main

import "fmt"

func main() {
	a := []int{1, 2, 3}
	i := 1

	if (i) >= len(a) || (i) < 0 {
		fmt.Println("no")
	}
	if (i+1) >= len(a) || (i-1) < 0 {
		fmt.Println("no")
	}
	if (i+1 >= len(a)) || (i-1 < 0) {
		fmt.Println("no")
	}
	b := (i+1) >= len(a) || (i-1) < 0
	fmt.Println(b, (i) > 0 && (i) < 4, !(i > 0 && (i) < 4))

	if i >= len(a) && (i) < 0 || (i*2) > 7 {
		fmt.Println("no")
	}
	for (i) < 3 {
		i++
	}
	if (i) == 3 {
		fmt.Println("ok")
	}
}
