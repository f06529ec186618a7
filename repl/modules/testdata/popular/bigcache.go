// %get github.com/allegro/bigcache/v3@v3.1.0

package main

import (
	"context"
	"fmt"
	"github.com/allegro/bigcache/v3"
	"time"
)

func main() {
	c, err := bigcache.New(context.Background(), bigcache.DefaultConfig(time.Minute))
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Set("k", []byte("v")))
	v, err := c.Get("k")
	fmt.Println(string(v), err, c.Len())
}

// Output:
// <nil>
// v <nil> 1
