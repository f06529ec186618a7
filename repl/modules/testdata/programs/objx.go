// %get github.com/stretchr/objx@v0.8.0

package main

import (
	"fmt"

	"github.com/stretchr/objx"
)

func main() {
	m := objx.MustFromJSON(`{"name": "gopher", "tags": ["a", "b"], "home": {"city": "Graz", "zip": 8010, "rooms": [{"n": 1}, {"n": 2}]}, "ok": true}`)
	fmt.Println(m.Get("name").Str(), m.Get("home.city").Str("?"), m.Get("home.zip").Float64(), m.Get("home.street").Str("none"))
	fmt.Println(m.Get("tags").MustInterSlice(), m.Get("home.rooms[1].n").Data(), m.Get("ok").Bool())
	m.Set("home.country.code", "AT")
	text, err := m.Get("home.country").ObjxMap().JSON()
	fmt.Println(text, err)
	n := m.Copy().Exclude([]string{"home", "tags"})
	fmt.Println(n, m.Has("home.city"), n.Has("home.city"))
	fmt.Println(m.Merge(objx.Map{"name": "other"}).Get("name"), m.Get("name").IsStr(), m.Get("home.zip").String())
	_, err = objx.FromJSON("{")
	fmt.Println(err != nil)
	o := objx.New(map[string]any{"b": []int{1, 2, 3}, "d": objx.Map{"k": 1}})
	o.Get("b").EachInt(func(i, v int) bool { fmt.Print(i, ":", v, " "); return true })
	fmt.Println(o.Get("d.k").Int(), objx.Map{"x": 1}.URLValues())
	signed, err := objx.Map{"id": 1}.SignedBase64("key")
	fmt.Println(signed, err)
}

// Output:
// gopher Graz 8010 none
// [a b] 2 true
// {"code":"AT"} <nil>
// map[name:gopher ok:true] true false
// other true 8010
// true
// 0:1 1:2 2:3 1 map[x:[1]]
// eyJpZCI6MX0=_573f3dde4a5137c02c8aa60bad8754e3baf61fc3 <nil>
