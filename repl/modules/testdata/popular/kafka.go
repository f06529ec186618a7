// %get github.com/segmentio/kafka-go@v0.4.51

package main

import (
	"fmt"
	"github.com/segmentio/kafka-go"
)

func main() {
	w := &kafka.Writer{Addr: kafka.TCP("localhost:9092"), Topic: "t", Balancer: &kafka.Hash{}}
	fmt.Println(w.Topic, w.Balancer.Balance(kafka.Message{Key: []byte("k")}, 0, 1, 2))
}

// Output:
// t 1
