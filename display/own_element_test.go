package display

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	ownElement  []ownElement
	ownElementA []ownElementB
	ownElementB []ownElementA
	ownPointer  *ownPointer
	ownMap      map[string]ownMap
	ownPointers []*ownPointers
	ownRow      [2]*ownRow
)

// TestOwnElement: a value whose type is its own element, directly or not, is shown as others are.
func TestOwnElement(t *testing.T) {
	var p ownPointer
	p = &p
	whole := ownElement{nil}
	whole[0] = whole
	m := ownMap{}
	m["m"] = m
	for _, c := range []struct {
		v    any
		want string
	}{
		{ownElement{}, "[]"},
		{ownElement{nil, {nil, {}}}, "[[] [[] []]]"},
		{[]ownElement{{}, nil}, "[[] []]"},
		{[][2]ownElement{{nil, {nil}}}, "[[[] [[]]]]"},
		{ownElementA{nil, {nil}}, "[[] [[]]]"},
		{ownRow{}, "[nil nil]"},
		{ownPointers{nil, {}}, "[nil &[]]"},
		{whole, "[…]"},
		{m, `map["m":…]`},
		{p, "&…"},
		{&p, "&&…"},
	} {
		done := make(chan string, 1)
		go func() { done <- Render(c.v)[MIMEText] }()
		select {
		case got := <-done:
			if strings.TrimSpace(got) != c.want {
				t.Errorf("%s: %q, want %q", reflect.TypeOf(c.v), got, c.want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: showing it does not end", reflect.TypeOf(c.v))
		}
	}
	if _, err := arrayOf(whole); !errors.Is(err, errNoNumbers) {
		t.Errorf("an array of a list that is its own element: %v", err)
	}
}
