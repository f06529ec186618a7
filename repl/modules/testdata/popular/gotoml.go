// %get github.com/pelletier/go-toml/v2@v2.4.3

package main

import (
	"fmt"
	"github.com/pelletier/go-toml/v2"
)

func main() {
	var c struct {
		Name string
		Deps map[string]string
	}
	fmt.Println(toml.Unmarshal([]byte("name = 'x'\n[deps]\na = '1'\n"), &c), c)
	out, err := toml.Marshal(c)
	fmt.Print(string(out), err, "\n")
}

// Output:
// <nil> {x map[a:1]}
// Name = 'x'
//
// [Deps]
// a = '1'
// <nil>
