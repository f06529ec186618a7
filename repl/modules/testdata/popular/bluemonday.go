// %get github.com/microcosm-cc/bluemonday@v1.0.27

package main

import (
	"fmt"
	"github.com/microcosm-cc/bluemonday"
)

func main() {
	fmt.Println(bluemonday.UGCPolicy().Sanitize(`<a onclick="x()" href="https://go.dev">go</a><script>alert(1)</script>`))
}

// Output:
// <a href="https://go.dev" rel="nofollow">go</a>
