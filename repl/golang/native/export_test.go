package native

import "github.com/gorocm/gorocm/repl/golang/native/enter"

func thisGoroutine() uintptr { return enter.Goroutine() }
