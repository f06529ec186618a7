// %get github.com/hashicorp/hcl/v2@v2.25.0

package main

import (
	"fmt"
	"github.com/hashicorp/hcl/v2/hclsimple"
)

func main() {
	var c struct {
		Port    int `hcl:"port"`
		Service []struct {
			Name string `hcl:"name,label"`
			Cmd  string `hcl:"cmd"`
		} `hcl:"service,block"`
	}
	err := hclsimple.Decode("a.hcl", []byte("port = 80 + 1\nservice \"web\" {\n  cmd = upper\n}\n"), nil, &c)
	fmt.Println(err)
	err = hclsimple.Decode("a.hcl", []byte("port = 80 + 1\nservice \"web\" {\n  cmd = \"run\"\n}\n"), nil, &c)
	fmt.Printf("%+v %v\n", c, err)
}

// Output:
// a.hcl:3,9-14: Variables not allowed; Variables may not be used here., and 1 other diagnostic(s)
// {Port:81 Service:[{Name:web Cmd:run}]} <nil>
