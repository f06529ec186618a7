// %get github.com/redis/go-redis/v9@v9.23.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

type item struct {
	Name  string  `redis:"name"`
	Price float64 `redis:"price"`
	Count int     `redis:"count"`
}

func main() {
	ctx := context.Background()
	c := redis.NewClient(&redis.Options{Addr: os.Getenv("GOROCM_TEST_REDIS")})
	defer c.Close()
	fmt.Println(c.FlushDB(ctx).Result())
	fmt.Println(c.Set(ctx, "k", "v", time.Hour).Result())
	fmt.Println(c.Get(ctx, "k").Result())
	_, err := c.Get(ctx, "none").Result()
	fmt.Println(errors.Is(err, redis.Nil))
	ttl, err := c.TTL(ctx, "k").Result()
	fmt.Println(ttl > 50*time.Minute, err)

	fmt.Println(c.HSet(ctx, "item", item{"lamp", 19.5, 3}).Result())
	var back item
	fmt.Println(c.HGetAll(ctx, "item").Scan(&back), back)

	results, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 3 {
			p.RPush(ctx, "list", i)
		}
		p.LRange(ctx, "list", 0, -1)
		return nil
	})
	fmt.Println(len(results), err, results[3].(*redis.StringSliceCmd).Val())

	add := redis.NewScript(`return redis.call("INCRBY", KEYS[1], ARGV[1])`)
	fmt.Println(add.Run(ctx, c, []string{"n"}, 5).Int())
	fmt.Println(add.Run(ctx, c, []string{"n"}, 6).Int())

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				err := c.Watch(ctx, func(tx *redis.Tx) error {
					n, err := tx.Get(ctx, "n").Int()
					if err != nil {
						return err
					}
					_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, "n", n+1, 0).Err() })
					return err
				}, "n")
				if !errors.Is(err, redis.TxFailedErr) {
					return
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(c.Get(ctx, "n").Int())

	sub := c.Subscribe(ctx, "news")
	defer sub.Close()
	if _, err := sub.Receive(ctx); err != nil {
		panic(err)
	}
	fmt.Println(c.Publish(ctx, "news", "hello").Result())
	m := <-sub.Channel()
	fmt.Println(m.Channel, m.Payload)

	id, err := c.XAdd(ctx, &redis.XAddArgs{Stream: "log", ID: "1-1", Values: []string{"what", "begun"}}).Result()
	fmt.Println(id, err)
	streams, err := c.XRead(ctx, &redis.XReadArgs{Streams: []string{"log", "0"}, Count: 5}).Result()
	fmt.Println(streams, err)
	for member := range map[string]bool{"a": true} {
		fmt.Println(c.ZAdd(ctx, "board", redis.Z{Score: 2.5, Member: member}, redis.Z{Score: 1, Member: "b"}).Result())
	}
	fmt.Println(c.ZRangeWithScores(ctx, "board", 0, -1).Result())
}

// Output:
// OK <nil>
// OK <nil>
// v <nil>
// true
// true <nil>
// 3 <nil>
// <nil> {lamp 19.5 3}
// 4 <nil> [0 1 2]
// 5 <nil>
// 11 <nil>
// 19 <nil>
// 1 <nil>
// news hello
// 1-1 <nil>
// [{log [{1-1 map[what:begun] 0 0}]}] <nil>
// 2 <nil>
// [{1 b} {2.5 a}] <nil>
