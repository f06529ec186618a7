package jupyter

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestWireGolden: what the kernel sends, as it is on the wire, with a file for each type of message in testdata/wire. A
// conversation that makes the kernel send every type is held over connections without a ZMTP library; each message is
// verified, and kept where nothing but its ids, dates and ports differs from the one before.
func TestWireGolden(t *testing.T) {
	thorough.Slow(t)
	k := startKernel(t, setup{})
	talk := newTalk(t, k)
	for _, said := range conversation {
		talk.say(said.channel, said.kind, said.content)
	}
	talk.say("control", "shutdown_request", `{"restart":true}`)
	k.ended(t)
	for kind := range fields {
		switch kind {
		case "usage_reply", "create_subshell_reply": // whose contents are the machine's, or random
			continue
		}
		if len(talk.sent[kind]) == 0 {
			t.Errorf("the conversation has no %s", kind)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(talk.sent)) {
		golden := filepath.Join("testdata", "wire", kind+".golden")
		have := strings.Join(talk.sent[kind], "\n")
		if *update {
			if err := os.WriteFile(golden, []byte(have), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Error(err)
		}
		if have != string(want) {
			t.Errorf("%s has changed; if that is meant, run go test -update and read the difference:\n%s", kind, have)
		}
	}
}

// conversation are requests after which the kernel has sent every type of message, each with its variants.
var conversation = []struct{ channel, kind, content string }{
	{"shell", "kernel_info_request", `{}`},
	{"control", "kernel_info_request", `{}`},
	{"shell", "connect_request", `{}`},
	{"control", "list_subshell_request", `{}`},
	{"control", "delete_subshell_request", `{"subshell_id":"none"}`},
	{"shell", "execute_request", `{"code":"print a < b && \"é\"\nwarn careful\nvalue 42"}`},
	{"shell", "execute_request", `{"code":"display d\nupdate d\nclear\nnote a notice"}`},
	{"shell", "execute_request", `{"code":"nonsense","user_expressions":{"x":"1"}}`},
	{"shell", "execute_request", `{"code":"","user_expressions":{"x":"1","y":"bad"}}`},
	{"shell", "execute_request", `{"code":"print quiet","silent":true}`},
	{"shell", "execute_request", `{"code":7}`},
	{"shell", "execute_request", `{"code":"ask name?\nsecret word?","allow_stdin":true}`},
	{"shell", "execute_request", `{"code":"ask name?","allow_stdin":false}`},
	{"shell", "complete_request", `{"code":"é pri","cursor_pos":5}`},
	{"shell", "complete_request", `{"code":"zzz","cursor_pos":3}`},
	{"shell", "inspect_request", `{"code":"print","cursor_pos":2,"detail_level":1}`},
	{"shell", "inspect_request", `{"code":"other","cursor_pos":2,"detail_level":0}`},
	{"shell", "is_complete_request", `{"code":"func f() {"}`},
	{"shell", "is_complete_request", `{"code":"x"}`},
	{"shell", "history_request", `{"hist_access_type":"tail","n":2,"output":false,"raw":true}`},
	{"shell", "history_request", `{"hist_access_type":"range","session":0,"start":1,"stop":2,"output":true,"raw":true}`},
	{"shell", "history_request", `{"hist_access_type":"odd"}`},
	{"shell", "execute_request", `{"code":"comm w1"}`},
	{"shell", "comm_info_request", `{}`},
	{"shell", "comm_info_request", `{"target_name":"other"}`},
	{"shell", "comm_msg", `{"comm_id":"w1","data":{"method":"update","state":{"value":3}}}`},
	{"shell", "execute_request", `{"code":"uncomm w1"}`},
	{"shell", "comm_open", `{"comm_id":"c1","target_name":"nobody","data":{}}`},
	{"control", "interrupt_request", `{}`},
	{"control", "debug_request", `{"seq":7,"type":"request","command":"initialize","arguments":{}}`},
	{"control", "debug_request", `{"seq":8,"type":"request","command":"nothing"}`},
}

// talk is a client of one kernel on raw connections.
type talk struct {
	t      *testing.T
	codec  *codec
	write  map[string]func(frames [][]byte)
	read   map[string]*reader
	asked  int
	sent   map[string][]string // what the kernel has sent, by type
	header map[string]string   // of requests, by id
}

func newTalk(t *testing.T, k *testKernel) *talk {
	t.Helper()
	c := &talk{t: t, codec: newCodec(k.conn.Key, nil), write: map[string]func([][]byte){}, read: map[string]*reader{},
		sent: map[string][]string{}, header: map[string]string{}}
	sub := raw(t, k.conn.IOPub, greeting(), ready("SUB"), frame(0, []byte{1}))
	c.read["iopub"] = newReader(t, sub)
	c.keep("iopub", c.read["iopub"].message())
	hello := []byte("\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x06golden")
	for name, port := range map[string]int{"shell": k.conn.Shell, "control": k.conn.Control, "stdin": k.conn.Stdin} {
		conn := raw(t, port, greeting(), frame(flagCommand, hello))
		c.read[name] = newReader(t, conn)
		c.write[name] = func(frames [][]byte) { conn.Write(onWire(frames)) }
	}
	return c
}

// say sends a request and waits for all that it brings about.
func (c *talk) say(channel, kind, content string) {
	c.t.Helper()
	c.asked++
	id := fmt.Sprintf("request-%d", c.asked)
	c.header[id] = fmt.Sprintf(`{"msg_id":%q,"msg_type":%q,"session":"client","username":"u","date":"","version":"5.3"}`, id, kind)
	c.send(channel, c.header[id], "{}", content)
	if kind == "execute_request" && strings.Contains(content, `"allow_stdin":true`) {
		for range strings.Count(content, "?") {
			question := c.read["stdin"].message()
			c.keep("stdin", question)
			c.send("stdin", `{"msg_id":"answer","msg_type":"input_reply"}`, string(question[2]), `{"value":"typed"}`)
		}
	}
	// The fake session answers what comes on a comm from a goroutine of its own, before or after the kernel is idle.
	answer := map[string]string{"comm_open": "comm_close", "comm_msg": "comm_msg"}[kind]
	for idle := false; !idle || answer != ""; {
		frames := c.read["iopub"].message()
		m := c.keep("iopub", frames)
		if m.Type == answer {
			answer = ""
		}
		idle = idle || bytes.Contains(frames[len(frames)-1], []byte(`"execution_state":"idle"`)) &&
			string(frames[4]) == c.header[id]
	}
	if strings.HasSuffix(kind, "_request") {
		c.keep(channel, c.read[channel].message())
	}
}

func (c *talk) send(channel, header, parent, content string) {
	parts := [][]byte{[]byte(header), []byte(parent), []byte("{}"), []byte(content)}
	sum := c.codec.sign(parts)
	c.write[channel](append([][]byte{[]byte(delimiter), fmt.Appendf(nil, "%x", sum)}, parts...))
}

var (
	changing = regexp.MustCompile(`"(msg_id|session)":"[^"]+"`)
	dated    = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"`)
	ported   = regexp.MustCompile(`_port": \d+`)
)

// keep verifies a message, adds it to those of its type and returns it.
func (c *talk) keep(channel string, frames [][]byte) *message {
	c.t.Helper()
	m, err := c.codec.decode(frames)
	if err != nil {
		c.t.Fatalf("%v: %q", err, frames)
	}
	parts := frames[len(m.routes)+2:]
	parent := "{}"
	if id := messageID(parts[1]); id != "" {
		if c.header[id] != string(parts[1]) {
			c.t.Errorf("%s: the parent header %s is not the request's header", m.Type, parts[1])
		}
		parent = "the request's header"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %q\n", channel, frames[:len(m.routes)+1])
	fmt.Fprintf(&b, "header: %s\nparent_header: %s\n",
		dated.ReplaceAll(changing.ReplaceAll(parts[0], []byte(`"$1":"…"`)), []byte(`"…"`)), parent)
	fmt.Fprintf(&b, "metadata: %s\ncontent: %s\n", dated.ReplaceAll(parts[2], []byte(`"…"`)),
		ported.ReplaceAllString(indent(c.t, parts[3]), "_port\": 0"))
	for i, buffer := range parts[4:] {
		fmt.Fprintf(&b, "buffer %d: %q\n", i, buffer)
	}
	if text := b.String(); !slices.Contains(c.sent[m.Type], text) {
		c.sent[m.Type] = append(c.sent[m.Type], text)
	}
	return m
}

func indent(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
