// %get github.com/goccy/go-json@v0.10.6

package main

import (
	"fmt"
	json "github.com/goccy/go-json"
)

type point struct {
	X    int `json:"x"`
	Tags []string
	More map[string]float64
}

func main() {
	text, err := json.Marshal(point{1, []string{"a"}, map[string]float64{"b": 0.5}})
	fmt.Println(string(text), err)
	var p point
	fmt.Println(json.Unmarshal([]byte(`{"x": 5, "Tags": ["q", "r"], "More": {"k": 2}}`), &p), p)
}

// Output:
// {"x":1,"Tags":["a"],"More":{"b":0.5}} <nil>
// <nil> {5 [q r] map[k:2]}
