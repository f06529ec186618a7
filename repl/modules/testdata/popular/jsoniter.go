// %get github.com/json-iterator/go@v1.1.12

package main

import (
	"fmt"
	jsoniter "github.com/json-iterator/go"
)

type point struct {
	X    int `json:"x"`
	Tags []string
	More map[string]float64
}

func main() {
	text, err := jsoniter.MarshalToString(point{1, []string{"a"}, map[string]float64{"b": 0.5}})
	fmt.Println(text, err)
	var p point
	fmt.Println(jsoniter.UnmarshalFromString(`{"x": 5, "Tags": ["q", "r"], "More": {"k": 2}}`, &p), p)
}

// Output:
// {"x":1,"Tags":["a"],"More":{"b":0.5}} <nil>
// <nil> {5 [q r] map[k:2]}
