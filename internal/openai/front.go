package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Front stands before a handler. It refuses requests of web pages that have no business here, by their Origin and Host,
// and gives up clients that go on neither sending nor reading. Its methods may be called by several goroutines.
type Front struct {
	Handler http.Handler
	// Local says that only this machine can connect. Then Host is to be an address, a name of this machine, or among
	// Hosts: a page cannot reach the server by a name of its own that it has resolve to this machine (DNS rebinding).
	Local bool
	// Hosts are other names of the server, without a port; * is any.
	Hosts []string
	// Origins are those of web pages that may use the server besides pages of this machine and of the server's own
	// host, such as https://chat.example.com; * is any.
	Origins []string

	mu      sync.Mutex
	reading map[*body]bool // bodies that have not ended
	end     time.Time      // when they are to have, by Drain
}

// How long a client may take to go on.
const (
	sendTimeout = 30 * time.Second // with a body
	readTimeout = 2 * time.Minute  // with reading an answer
)

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	defer func() { _ = rc.SetWriteDeadline(time.Now().Add(readTimeout)) }() // of what is left in buffers
	w = &answerWriter{w, rc}
	if r.Body != nil && r.Body != http.NoBody {
		b := &body{ReadCloser: r.Body, front: f, rc: rc}
		f.follow(b)
		defer b.leave()
		r.Body = b
	}
	if err := f.allow(w, r); err != nil {
		fail(w, err)
		return
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	f.Handler.ServeHTTP(w, r)
}

// Drain has requests end soon whose bodies have not arrived: they have d to do so.
func (f *Front) Drain(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end = time.Now().Add(d)
	for b := range f.reading {
		_ = b.rc.SetReadDeadline(f.end)
	}
}

// allow refuses a request by its Host and Origin. A page that may send it may read the answer, too.
func (f *Front) allow(w http.ResponseWriter, r *http.Request) error {
	host := hostname(r.Host)
	if f.Local && !isLocal(host) && !isAddress(host) && !listed(f.Hosts, host) {
		return forbidden("the server has no name %.100q: --allow-host gives it one", host)
	}
	origin := r.Header.Get("Origin")
	if origin == "" { // of no page, or of one that the server itself has sent
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || !isLocal(u.Hostname()) && !strings.EqualFold(u.Host, r.Host) && !listed(f.Origins, origin) {
		return forbidden("pages of %.100q may not use this server: --allow-origin lets them", origin)
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	return nil
}

func forbidden(format string, args ...any) error {
	return &apiError{status: http.StatusForbidden, Message: fmt.Sprintf(format, args...)}
}

// hostname is a host without its port.
func hostname(host string) string {
	u := url.URL{Host: host}
	return u.Hostname()
}

// isLocal reports whether a name, or an address, is this machine's wherever it is resolved.
func isLocal(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.Unmap().IsLoopback()
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

func listed(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return x == "*" || strings.EqualFold(x, s) })
}

// body is a request's. Each read has a deadline, and none is left when the body has ended.
type body struct {
	io.ReadCloser
	front *Front
	rc    *http.ResponseController
	ended bool
}

func (f *Front) follow(b *body) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reading == nil {
		f.reading = map[*body]bool{}
	}
	f.reading[b] = true
	b.extend()
}

// extend moves the deadline of reading. mu is held.
func (b *body) extend() {
	end := time.Now().Add(sendTimeout)
	if !b.front.end.IsZero() && b.front.end.Before(end) {
		end = b.front.end
	}
	_ = b.rc.SetReadDeadline(end)
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.front.mu.Lock()
	defer b.front.mu.Unlock()
	switch {
	case b.ended:
	case err != nil:
		b.ended = true
		delete(b.front.reading, b)
		if errors.Is(err, io.EOF) { // what is read now only tells of a client that hangs up
			_ = b.rc.SetReadDeadline(time.Time{})
		}
	default:
		b.extend()
	}
	return n, err
}

// leave ends the reading of a body of which the handler has not read all. The server reads a part of the rest.
func (b *body) leave() {
	b.front.mu.Lock()
	defer b.front.mu.Unlock()
	delete(b.front.reading, b)
	if !b.ended {
		b.ended = true
		_ = b.rc.SetReadDeadline(time.Now().Add(time.Second))
	}
}

// answerWriter gives each write a deadline.
type answerWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

// Write implements io.Writer.
func (w *answerWriter) Write(p []byte) (int, error) {
	_ = w.rc.SetWriteDeadline(time.Now().Add(readTimeout))
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *answerWriter) Flush() { _ = w.rc.Flush() }

// Unwrap is for http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
