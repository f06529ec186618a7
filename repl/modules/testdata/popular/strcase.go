// %get github.com/iancoleman/strcase@v0.3.0

package main

import (
	"fmt"
	"github.com/iancoleman/strcase"
)

func main() {
	fmt.Println(strcase.ToSnake("HTTPServer"), strcase.ToCamel("any_kind"))
}

// Output:
// http_server AnyKind
