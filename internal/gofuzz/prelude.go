package gofuzz

// prelude is what every program has.
const prelude = `
var fuel, lines = 300, 300

// spent consumes fuel, and reports whether none is left.
func spent() bool {
	fuel--
	return fuel < 0
}

func show(v ...any) {
	if lines--; lines >= 0 {
		fmt.Println(v...)
	}
}

func showf(format string, v ...any) {
	if lines--; lines >= 0 {
		fmt.Printf(format+"\n", v...)
	}
}

func report(name string, v any) {
	if e, ok := v.(error); ok {
		show(name, e)
	} else {
		showf("%s %T %v", name, v, v)
	}
}

func guard(name string, f func()) {
	defer func() {
		if v := recover(); v != nil {
			report(name, v)
		}
	}()
	f()
}

func rescue() {
	if v := recover(); v != nil {
		report("rescued", v)
	}
}

// filled is a channel with one value.
func filled[T any](v T) chan T {
	c := make(chan T, 1)
	c <- v
	return c
}

func closed[T any]() chan T {
	c := make(chan T)
	close(c)
	return c
}

func trace[T any](n int, v T) T {
	show("trace", n, v)
	return v
}

func keep[T any](v T) T { return v }

func same[T any](v T) bool { return true }

func turn(v any) any {
	if n, ok := v.(int); ok {
		return n
	}
	return "shadowed"
}

// folded applies f to values in turn.
func folded[T any](f func(T, T) T, list ...T) (v T) {
	for _, x := range list {
		v = f(v, x)
	}
	return v
}

func later[T any](a, b T) T { return b }

func longer(a, b string) string { return a + b }

func choose[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func first[S ~[]E, E any](s S, n int) S { return s[:min(n, len(s))] }

func clip[S ~string](s S) S { return s[:min(40, len(s))] }

func each[E any](s []E) func(func(E) bool) {
	return func(yield func(E) bool) {
		for i := 0; i < len(s) && i < 4; i++ {
			if !yield(s[i]) {
				return
			}
		}
	}
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}
`
