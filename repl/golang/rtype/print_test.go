package rtype_test

import (
	"fmt"
	"reflect"
	"testing"
)

func TestPrint(t *testing.T) {
	s := start(t, `
type Weekday int
type P struct { X, Y int }
type q struct { x int; P; s []*P }
func (w Weekday) String() string { return "" }
func (p *P) Error() string { return "" }
`, map[string]body{
		"Weekday.String": func(a []reflect.Value) []reflect.Value { return values(fmt.Sprintf("day %d", a[0].Int())) },
		"P.Error": func(a []reflect.Value) []reflect.Value {
			return values(fmt.Sprintf("bad %d", a[0].Elem().Field(0).Int()))
		},
	})
	day := s.zero("Weekday")
	day.SetInt(3)
	p := s.make("P", 1, 2)
	for _, c := range []struct {
		verb string
		v    any
		want string
	}{
		{"%T", s.any("Weekday", day), "main.Weekday"},
		{"%v", s.any("Weekday", day), "day 3"},
		{"%+v", s.any("P", p), "{X:1 Y:2}"},
		{"%v", s.any("*P", p.Addr()), "bad 1"},
		{"%#v", s.any("P", p), "main.P{X:1, Y:2}"},
		{"%+v", s.any("q", s.make("q", 7, p, nil)), "{x:7 P:{X:1 Y:2} s:[]}"},
	} {
		if got := fmt.Sprintf(c.verb, c.v); got != c.want {
			t.Errorf("%s: got %s, want %s", c.verb, got, c.want)
		}
	}
}
