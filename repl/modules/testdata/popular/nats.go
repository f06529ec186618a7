// %get github.com/nats-io/nats.go@v1.55.0

package main

import (
	"fmt"
	"github.com/nats-io/nats.go"
)

func main() {
	m := nats.NewMsg("a.b")
	m.Header.Set("k", "v")
	_, err := nats.Connect("nats://127.0.0.1:1")
	fmt.Println(m.Subject, m.Header, err)
}

// Output:
// a.b map[k:[v]] nats: no servers available for connection
