// %get golang.org/x/sync@v0.24.0

package main

import (
	"context"
	"errors"
	"fmt"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"
	"sync/atomic"
)

func main() {
	g, ctx := errgroup.WithContext(context.Background())
	var n atomic.Int64
	for i := range 10 {
		g.Go(func() error { n.Add(int64(i)); return nil })
	}
	g.Go(func() error { return errors.New("one failed") })
	fmt.Println(g.Wait(), ctx.Err(), n.Load())
	var f singleflight.Group
	fmt.Println(f.Do("k", func() (any, error) { return 1, nil }))
}

// Output:
// one failed context canceled 45
// 1 <nil> false
