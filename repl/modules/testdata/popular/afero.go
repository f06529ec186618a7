// %get github.com/spf13/afero@v1.15.0

package main

import (
	"fmt"
	"github.com/spf13/afero"
)

func main() {
	fs := afero.NewMemMapFs()
	fmt.Println(afero.WriteFile(fs, "/d/a", []byte("x"), 0o644))
	b, err := afero.ReadFile(fs, "/d/a")
	fmt.Println(string(b), err)
	fmt.Println(afero.Glob(fs, "/d/*"))
}

// Output:
// <nil>
// x <nil>
// [/d/a] <nil>
