// %get golang.org/x/net@v0.62.0

package main

import (
	"fmt"
	"golang.org/x/net/html"
	"golang.org/x/net/ipv4"
	"net"
	"strings"
)

func main() {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer c.Close()
	p := ipv4.NewPacketConn(c)
	fmt.Println(p.SetTTL(17))
	fmt.Println(p.TTL())
	n, err := html.Parse(strings.NewReader("<p>a<b>c"))
	fmt.Println(n.FirstChild.Data, err)
}

// Output:
// <nil>
// 17 <nil>
// html <nil>
