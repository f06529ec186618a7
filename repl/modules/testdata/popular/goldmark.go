// %get github.com/yuin/goldmark@v1.8.7

package main

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"os"
)

func main() {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	if err := md.Convert([]byte("# Title\n\n*a* ~~b~~ <https://go.dev>\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"), os.Stdout); err != nil {
		panic(err)
	}
}

// Output:
// <h1>Title</h1>
// <p><em>a</em> <del>b</del> <a href="https://go.dev">https://go.dev</a></p>
// <table>
// <thead>
// <tr>
// <th>x</th>
// <th>y</th>
// </tr>
// </thead>
// <tbody>
// <tr>
// <td>1</td>
// <td>2</td>
// </tr>
// </tbody>
// </table>
