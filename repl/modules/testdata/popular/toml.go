// %get github.com/BurntSushi/toml@v1.6.0

package main

import (
	"fmt"
	"github.com/BurntSushi/toml"
)

type config struct {
	Name string
	Size struct{ W, H int }
}

func main() {
	var c config
	m, err := toml.Decode("Name = 'a'\n[Size]\nW = 3\nH = 4\n", &c)
	fmt.Println(c, m.IsDefined("Size", "W"), err)
}

// Output:
// {a {3 4}} true <nil>
