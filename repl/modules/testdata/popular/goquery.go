// %get github.com/PuerkitoBio/goquery@v1.10.3

package main

import (
	"fmt"
	"github.com/PuerkitoBio/goquery"
	"strings"
)

func main() {
	d, err := goquery.NewDocumentFromReader(strings.NewReader(`<ul><li class="a">1</li><li>2</li></ul>`))
	fmt.Println(d.Find("li.a").Text(), d.Find("li").Length(), err)
}

// Output:
// 1 2 <nil>
