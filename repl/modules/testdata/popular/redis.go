// %get github.com/redis/go-redis/v9@v9.23.0 github.com/alicebob/miniredis/v2@v2.40.0

package main

import (
	"context"
	"fmt"
	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func main() {
	s, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer s.Close()
	c := redis.NewClient(&redis.Options{Addr: s.Addr()})
	ctx := context.Background()
	fmt.Println(c.Set(ctx, "k", "v", 0).Err())
	fmt.Println(c.Get(ctx, "k").Result())
	fmt.Println(c.LPush(ctx, "l", 1, 2, 3).Result())
}

// Output:
// <nil>
// v <nil>
// 3 <nil>
