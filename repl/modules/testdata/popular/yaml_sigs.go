// %get sigs.k8s.io/yaml@v1.6.0

package main

import (
	"fmt"
	"sigs.k8s.io/yaml"
)

func main() {
	out, err := yaml.Marshal(map[string]any{"b": []int{1, 2}, "a": nil})
	fmt.Print(string(out), err, "\n")
}

// Output:
// a: null
// b:
// - 1
// - 2
// <nil>
