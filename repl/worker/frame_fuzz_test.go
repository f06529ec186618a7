package worker

import (
	"bytes"
	"testing"
)

// FuzzFrame: whatever comes on the pipe is a frame or an error, and a frame is no larger than what has come.
func FuzzFrame(f *testing.F) {
	var b bytes.Buffer
	w := &frameWriter{w: &b}
	if err := w.send(kindBegun, 7, codeBody{Code: "x"}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		for {
			frame, err := readFrame(r)
			if err != nil {
				return
			}
			if len(frame.Body) > len(b) {
				t.Fatalf("%d bytes of %d", len(frame.Body), len(b))
			}
		}
	})
}
