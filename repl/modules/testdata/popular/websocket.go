// %get github.com/gorilla/websocket@v1.5.3

package main

import (
	"fmt"
	"github.com/gorilla/websocket"
	"net/http"
	"net/http/httptest"
	"strings"
)

func main() {
	up := websocket.Upgrader{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer c.Close()
		kind, text, err := c.ReadMessage()
		if err == nil {
			_ = c.WriteMessage(kind, []byte(strings.ToUpper(string(text))))
		}
	}))
	defer s.Close()
	c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	fmt.Println(err)
	fmt.Println(c.WriteMessage(websocket.TextMessage, []byte("hello")))
	_, text, err := c.ReadMessage()
	fmt.Println(string(text), err)
}

// Output:
// <nil>
// <nil>
// HELLO <nil>
