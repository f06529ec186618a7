// %get github.com/patrickmn/go-cache@v2.1.0+incompatible

package main

import (
	"fmt"
	"github.com/patrickmn/go-cache"
	"time"
)

func main() {
	c := cache.New(time.Minute, 0)
	c.Set("a", 1, cache.DefaultExpiration)
	v, ok := c.Get("a")
	fmt.Println(v, ok, c.ItemCount(), c.Add("a", 2, 0))
}

// Output:
// 1 true 1 Item a already exists
