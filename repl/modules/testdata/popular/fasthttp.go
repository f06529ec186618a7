// %get github.com/valyala/fasthttp@v1.78.0

package main

import (
	"fmt"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
	"net"
)

func main() {
	ln := fasthttputil.NewInmemoryListener()
	go func() { _ = fasthttp.Serve(ln, func(c *fasthttp.RequestCtx) { fmt.Fprintf(c, "path %s", c.Path()) }) }()
	c := fasthttp.HostClient{Addr: "x", Dial: func(string) (net.Conn, error) { return ln.Dial() }}
	code, body, err := c.Get(nil, "http://x/ada")
	fmt.Println(code, string(body), err)
}

// Output:
// 200 path /ada <nil>
