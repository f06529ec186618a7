// %get github.com/jinzhu/copier@v0.4.0

package main

import (
	"fmt"
	"github.com/jinzhu/copier"
)

func main() {
	from := struct {
		Name string
		Age  int32
	}{"ada", 36}
	var to struct {
		Name string
		Age  int64
	}
	fmt.Println(copier.Copy(&to, &from), to)
}

// Output:
// <nil> {ada 36}
