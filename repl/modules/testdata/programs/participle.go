// %get github.com/alecthomas/participle/v2@v2.1.4

package main

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
)

type INI struct {
	Properties []*Property `@@*`
	Sections   []*Section  `@@*`
}

type Section struct {
	Identifier string      `"[" @Ident "]"`
	Properties []*Property `@@*`
}

type Property struct {
	Key   string `@Ident "="`
	Value *Value `@@`
}

type Value struct {
	String *string  `  @String`
	Float  *float64 `| @Float`
	Int    *int     `| @Int`
}

func main() {
	parser, err := participle.Build[INI](participle.Unquote("String"))
	fmt.Println(err)
	ini, err := parser.ParseString("", "size = 10\n[address]\nstreet = \"main\"\n")
	fmt.Println(err, ini.Properties[0].Key, *ini.Properties[0].Value.Int)
	fmt.Println(ini.Sections[0].Identifier, *ini.Sections[0].Properties[0].Value.String)
	_, err = parser.ParseString("", "size = = 10")
	fmt.Println(err)
}

// Output:
// <nil>
// <nil> size 10
// address main
// 1:8: unexpected token "=" (expected Value)
