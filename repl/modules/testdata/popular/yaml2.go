// %get gopkg.in/yaml.v2@v2.4.0

package main

import (
	"fmt"

	"gopkg.in/yaml.v2"
)

type service struct {
	Image string            `yaml:"image"`
	Ports []int             `yaml:"ports,flow"`
	Env   map[string]string `yaml:"env,omitempty"`
}

func main() {
	var s struct {
		Services map[string]service `yaml:"services"`
		Rest     map[string]any     `yaml:",inline"`
	}
	err := yaml.Unmarshal([]byte("version: 3\nservices:\n  web: {image: nginx, ports: [80, 443]}\n  db:\n    image: pg\n    env: {A: b}\n"), &s)
	fmt.Println(err, s.Services["web"], s.Rest)
	out, err := yaml.Marshal(s)
	fmt.Print(string(out), err, "\n")
	fmt.Println(yaml.UnmarshalStrict([]byte("a: 1\na: 2"), &map[string]int{}))
}

// Output:
// <nil> {nginx [80 443] map[]} map[version:3]
// services:
//   db:
//     image: pg
//     ports: []
//     env:
//       A: b
//   web:
//     image: nginx
//     ports: [80, 443]
// version: 3
// <nil>
// yaml: unmarshal errors:
//   line 2: key "a" already set in map
