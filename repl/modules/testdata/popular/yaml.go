// %get gopkg.in/yaml.v3@v3.0.1

package main

import (
	"fmt"
	"gopkg.in/yaml.v3"
)

type config struct {
	Name  string
	Ports []int `yaml:"ports,flow"`
	More  map[string]any
}

func main() {
	var c config
	fmt.Println(yaml.Unmarshal([]byte("name: a\nports: [1, 2]\nmore: {x: 1.5, y: [true]}\n"), &c), c)
	b, err := yaml.Marshal(c)
	fmt.Print(string(b), err, "\n")
}

// Output:
// <nil> {a [1 2] map[x:1.5 y:[true]]}
// name: a
// ports: [1, 2]
// more:
//     x: 1.5
//     "y":
//         - true
// <nil>
