package openai

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestOrigins: requests of other web pages are refused, and those by names that are not the server's.
func TestOrigins(t *testing.T) {
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "answer") })
	for _, c := range []struct {
		front        *Front
		host, origin string
		says         string // "" for the answer
	}{
		{&Front{Local: true}, "localhost:8080", "", ""},
		{&Front{Local: true}, "127.0.0.1:8080", "", ""},
		{&Front{Local: true}, "[::1]:8080", "http://[::1]:3000", ""},
		{&Front{Local: true}, "172.17.0.2:8080", "", ""},
		{&Front{Local: true}, "gorocm.localhost", "http://localhost:3000", ""},
		{&Front{Local: true}, "evil.example", "", `no name "evil.example"`},
		{&Front{Local: true}, "localhost.evil.example:8080", "", `no name "localhost.evil.example"`},
		{&Front{Local: true}, "127.0.0.1.evil.example", "", "no name"},
		{&Front{Local: true}, "", "", "no name"},
		{&Front{Local: true}, "localhost:8080", "http://evil.example", `pages of "http://evil.example"`},
		{&Front{Local: true}, "localhost:8080", "http://localhost.evil.example", "may not use"},
		{&Front{Local: true}, "localhost:8080", "null", "may not use"},
		{&Front{Local: true}, "localhost:8080", "http://%zz", "may not use"},
		{&Front{Local: true}, "evil.example:8080", "http://evil.example:8080", "no name"},
		{&Front{Local: true, Hosts: []string{"gpu.example"}}, "GPU.example:8080", "http://gpu.example:8080", ""},
		{&Front{Local: true, Hosts: []string{"*"}}, "a.example", "", ""},
		{&Front{}, "gpu.example:8080", "http://gpu.example:8080", ""},
		{&Front{}, "gpu.example:8080", "http://gpu.example", "may not use"},
		{&Front{}, "gpu.example:8080", "http://evil.example", "may not use"},
		{&Front{Origins: []string{"https://chat.example"}}, "gpu.example", "https://chat.example", ""},
		{&Front{Origins: []string{"https://chat.example"}}, "gpu.example", "http://chat.example", "may not use"},
		{&Front{Origins: []string{"*"}}, "gpu.example", "null", ""},
	} {
		c.front.Handler = answers
		for _, method := range []string{http.MethodPost, http.MethodOptions} {
			r := httptest.NewRequest(method, "/v1/models", strings.NewReader("{}"))
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			want, wantStatus := "answer", http.StatusOK
			if method == http.MethodOptions {
				r.Header.Set("Access-Control-Request-Method", "POST")
				want, wantStatus = "", http.StatusNoContent
			}
			allowed := c.origin
			if c.says != "" {
				want, wantStatus, allowed = c.says, http.StatusForbidden, ""
			}
			w := httptest.NewRecorder()
			c.front.ServeHTTP(w, r)
			text := strings.ReplaceAll(w.Body.String(), `\"`, `"`)
			if w.Code != wantStatus || !strings.Contains(text, want) || w.Header().Get("Access-Control-Allow-Origin") != allowed {
				t.Errorf("%s, host %q, origin %q: %d %s %v", method, c.host, c.origin, w.Code, text, w.Header())
			}
		}
	}
}

// TestDrain: a server ends although a client has sent half of a body, and an answer that has begun is not cut off.
func TestDrain(t *testing.T) {
	arrived, begun, end := make(chan bool, 2), make(chan error, 1), make(chan struct{})
	f := &Front{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/unread" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		arrived <- true
		_, err := io.ReadAll(r.Body)
		if begun <- err; err == nil {
			<-end
			fmt.Fprint(w, "answer ", r.Context().Err())
		}
	})}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: f}
	go server.Serve(l)
	send := func(path string, length int, text string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, length, text)
		return c
	}
	whole := send("/", 2, "{}")
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	send("/unread", 1000, "{")
	send("/", 1000, "{")
	<-arrived
	<-arrived
	done := make(chan error, 1)
	go func() { done <- server.Shutdown(context.Background()) }()
	f.Drain(10 * time.Millisecond)
	if err := <-begun; !isTimeout(err) {
		t.Errorf("half a body: %v, want a timeout", err)
	}
	close(end)
	r, err := http.ReadResponse(bufio.NewReader(whole), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	if string(text) != "answer <nil>" {
		t.Errorf("%q", text)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
