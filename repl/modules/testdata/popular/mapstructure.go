// %get github.com/mitchellh/mapstructure@v1.5.0

package main

import (
	"fmt"
	"github.com/mitchellh/mapstructure"
)

func main() {
	var p struct {
		Name string
		Age  int `mapstructure:"years"`
	}
	err := mapstructure.Decode(map[string]any{"name": "ada", "years": 36}, &p)
	fmt.Printf("%+v %v\n", p, err)
	fmt.Println(mapstructure.Decode(map[string]any{"name": 1}, &p))
}

// Output:
// {Name:ada Age:36} <nil>
// 1 error(s) decoding:
//
// * 'Name' expected type 'string', got unconvertible type 'int', value: '1'
