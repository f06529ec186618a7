// %get golang.org/x/mod@v0.43.0

package main

import (
	"fmt"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

func main() {
	list := []string{"v1.10.0", "v1.2.0", "v1.2.0-rc.1", "bad"}
	semver.Sort(list)
	fmt.Println(list, semver.Compare("v1.2.0", "v1.2.0-rc.1"), semver.MajorMinor("v2.3.4"), semver.IsValid("1.2"))
	f, err := modfile.Parse("go.mod", []byte("module example.com/m/v2\n\ngo 1.24\n\nrequire golang.org/x/text v0.3.0 // indirect\n"), nil)
	fmt.Println(f.Module.Mod.Path, f.Go.Version, f.Require[0].Mod, f.Require[0].Indirect, err)
	fmt.Println(f.AddRequire("golang.org/x/net", "v0.1.0"))
	f.Cleanup()
	out, err := f.Format()
	fmt.Print(string(out), err, "\n")
	fmt.Println(module.CheckPath("example.com/a//b"))
	fmt.Println(module.EscapePath("github.com/Azure/x"))
}

// Output:
// [bad v1.2.0-rc.1 v1.2.0 v1.10.0] 1 v2.3 false
// example.com/m/v2 1.24 golang.org/x/text@v0.3.0 true <nil>
// <nil>
// module example.com/m/v2
//
// go 1.24
//
// require (
// 	golang.org/x/text v0.3.0 // indirect
// 	golang.org/x/net v0.1.0
// )
// <nil>
// malformed module path "example.com/a//b": double slash
// github.com/!azure/x <nil>
