package main

import "fmt"

var (
	a = c + b
	b = f()
	c = f()
	d = 3
)

func f() int {
	d++
	return d
}

func init() { log = append(log, "first") }

var log []string

func init() {
	for i := range 2 {
		log = append(log, fmt.Sprint("second ", i))
	}
	if a > 0 {
		return
	}
	log = nil
}

var table = map[string]func() int{"g": g}

func g() int { return limit }

var limit = 7

func main() {
	fmt.Println(a, b, c, d, log, table["g"]())
}
