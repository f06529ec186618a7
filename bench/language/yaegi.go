//go:build ignore

// Interprets a Go program with yaegi and nothing around it, for bench/language.py.
package main

import (
	"log"
	"os"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

func main() {
	in := interp.New(interp.Options{})
	if err := in.Use(stdlib.Symbols); err != nil {
		log.Fatal(err)
	}
	if _, err := in.EvalPath(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
