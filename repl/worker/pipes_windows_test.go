package worker

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// TestPipes: the front end's ends have deadlines, and a pipe tells what it holds while another read waits.
func TestPipes(t *testing.T) {
	r, w, err := pipeFromWorker()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal("a deadline:", err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("a read after its deadline:", err)
	}
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	p := newOutputPipe(r)
	go p.await(func(fd uintptr) bool {
		buf := make([]byte, 16)
		n, ended := p.readNow(fd, buf)
		if n > 0 || ended {
			text <- string(buf[:n])
		}
		return ended
	})
	time.Sleep(20 * time.Millisecond) // for the wait to begin
	p.use(func(fd uintptr) {
		if n, ended := p.readNow(fd, make([]byte, 1)); n != 0 || ended {
			t.Error("an empty pipe:", n, ended)
		}
	})
	for _, want := range []string{"one", "two"} {
		if _, err := io.WriteString(w, want); err != nil {
			t.Fatal(err)
		}
		if got := <-text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w.Close()
	if got := <-text; got != "" {
		t.Errorf("after the end: %q", got)
	}
}

// TestRequestPipe: a read of requests ends when the file is closed.
func TestRequestPipe(t *testing.T) {
	r, w, err := pipeToWorker()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := io.WriteString(w, "request"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16)
	if n, err := r.Read(buf); string(buf[:n]) != "request" {
		t.Fatal(string(buf[:n]), err)
	}
	ended := make(chan error)
	go func() {
		_, err := r.Read(buf)
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond)
	r.Close()
	if err := <-ended; err == nil {
		t.Error("a read of a closed file succeeded")
	}
}
