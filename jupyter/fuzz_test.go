package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-zeromq/zmq4"
)

// FuzzGuard: any bytes on a connection give messages within the limits, or an error.
func FuzzGuard(f *testing.F) {
	hello := slices.Clip(append(greeting(), ready("DEALER")...))
	f.Add(hello)
	f.Add(append(hello, frame(0, []byte("x"))...))
	f.Add(append(hello, longHeader(flagMore, 1<<62)...))
	f.Add(append(hello, frame(flagCommand, []byte("\x04PING\x00\x0acontext"))...))
	for _, peer := range hostilePeers(connection{}) {
		if len(peer.send) < 1<<12 {
			f.Add(peer.send)
		}
	}
	lim := limits{handshake: patience, write: patience, message: 1000, frames: 5, queue: 1 << 20}
	f.Fuzz(func(t *testing.T, sent []byte) {
		s := &socket{name: "shell", kind: zmq4.Router, limits: lim, log: quietLog()}
		s.handle = func(l *link, frames [][]byte) {
			size := 0
			for _, f := range frames {
				size += len(f)
			}
			if size > lim.message || len(frames) > lim.frames {
				t.Errorf("a message of %d bytes in %d frames", size, len(frames))
			}
		}
		l := newLink(s, &bytesConn{in: bytes.NewReader(sent)})
		if err := l.shake(); err != nil {
			return
		}
		l.read()
	})
}

// FuzzConnectionFile: any text gives a connection that can be listened on, or an error.
func FuzzConnectionFile(f *testing.F) {
	good, err := json.Marshal(connection{Transport: "tcp", IP: "127.0.0.1", Shell: 1, Control: 2, Stdin: 3, IOPub: 4,
		Heartbeat: 5, Key: "key", Scheme: "hmac-sha256"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(bytes.Replace(good, []byte("tcp"), []byte("ipc"), 1))
	f.Add([]byte(`{"shell_port":1e3,"control_port":-1,"ip":"*"}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseConnection("file", text)
		if err != nil {
			if !strings.Contains(err.Error(), "connection file") {
				t.Errorf("the error does not say what it is about: %v", err)
			}
			return
		}
		ports := []int{c.Shell, c.Control, c.Stdin, c.IOPub, c.Heartbeat}
		for i, p := range ports {
			if p < 0 || p > 65535 || p != 0 && slices.Contains(ports[:i], p) { // 0 is a free one
				t.Errorf("ports %v", ports)
			}
		}
		if c.IP == "" || c.Transport != "tcp" && c.Transport != "ipc" {
			t.Errorf("%+v", c)
		}
	})
}

// FuzzContent: any JSON object as the content of any request gives a reply that can be sent, or an error. No handler
// panics.
func FuzzContent(f *testing.F) {
	var kinds []string
	for kind := range handlers {
		if kind != "shutdown_request" {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	for i := range kinds {
		f.Add(uint8(i), []byte(`{}`))
		f.Add(uint8(i), []byte(`{"code":"pri é","cursor_pos":4,"detail_level":1,"silent":false,"user_expressions":{"a":"1"}}`))
		f.Add(uint8(i), []byte(`{"hist_access_type":"range","session":-1,"start":0,"stop":9,"output":true,"n":3,"pattern":"*[a-"}`))
		f.Add(uint8(i), []byte(`{"comm_id":"c","target_name":"jupyter.widget","data":{"method":"update","state":{"value":1}}}`))
		f.Add(uint8(i), []byte(`{"seq":1,"type":"request","command":"initialize","arguments":{}}`))
	}
	f.Fuzz(func(t *testing.T, kind uint8, content []byte) {
		if checkObject(content) != nil || slowCell(content) {
			return
		}
		k := newKernel(connection{Key: "secret"}, idleSockets(), newFake, Options{ParentPID: -1}, defaultLimits, quietLog())
		defer k.session.close(patience)
		r := &request{
			message: &message{ID: "1", Type: kinds[int(kind)%len(kinds)], raw: json.RawMessage(`{"msg_id":"1"}`),
				content: content},
			channel: "shell",
			ctx:     context.Background(),
		}
		reply, err := handlers[r.Type](k, r)
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("%s: error %q", r.Type, err)
			}
			return
		}
		frames, err := k.codec.encode(nil, r.Type, r.message, nil, reply)
		if err != nil {
			t.Fatalf("%s: the reply %v cannot be sent: %v", r.Type, reply, err)
		}
		if err := checkObject(frames[5]); reply != nil && err != nil {
			t.Errorf("%s: the reply %s: %v", r.Type, frames[5], err)
		}
	})
}

// slowCell reports cells of the fake session that wait, panic or print for ever.
func slowCell(content []byte) bool {
	for _, word := range []string{"sleep", "deaf", "hold", "raw", "crash", "release", "panic", "late", "\\u"} {
		if bytes.Contains(content, []byte(word)) {
			return true
		}
	}
	return false
}

// idleSockets are those of a kernel that nobody is connected to.
func idleSockets() *sockets {
	s := &socket{limits: defaultLimits, log: quietLog(), links: map[*link]struct{}{}}
	return &sockets{shell: s, control: s, stdin: s, iopub: s, heartbeat: s}
}
