package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/gorocm/gorocm/repl"
)

// patience is how long a test waits for what must come. It only bounds a failure.
const patience = time.Minute

// testKernel is a kernel in this process.
type testKernel struct {
	conn connection
	done chan error
	stop context.CancelFunc
	log  *syncBuffer
}

type setup struct {
	start     func() (repl.Session, error)
	opts      Options
	limits    limits
	transport string
	curve     bool // connections are encrypted
}

func startKernel(t testing.TB, s setup) *testKernel {
	t.Helper()
	if s.start == nil {
		s.start = newFake
	}
	if s.limits == (limits{}) {
		s.limits = defaultLimits
	}
	conn := testConnection(t, s.transport)
	if s.curve {
		conn.Public, conn.Secret = testCurvePublic, testCurveSecret
	}
	k := &testKernel{conn: conn, done: make(chan error, 1), log: &syncBuffer{}}
	s.opts.Log = slog.New(slog.NewTextHandler(k.log, nil))
	s.opts.ParentPID = -1
	var ctx context.Context
	ctx, k.stop = context.WithCancel(context.Background())
	go func() { k.done <- serve(ctx, writeConnection(t, k.conn), s.start, s.opts, s.limits) }()
	k.waitForSockets(t)
	t.Cleanup(func() {
		k.stop()
		select {
		case err := <-k.done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(patience):
			t.Error("Serve does not return")
		}
		if strings.Contains(k.log.String(), "panic") && !strings.Contains(t.Name(), "Panic") {
			t.Errorf("the kernel's log tells of a panic:\n%s", k.log)
		}
	})
	return k
}

// waitForSockets waits until the kernel listens. The last address is opened last.
func (k *testKernel) waitForSockets(t testing.TB) {
	t.Helper()
	network, address, _ := strings.Cut(k.conn.endpoint(k.conn.Heartbeat), "://")
	if network == "ipc" {
		network = "unix"
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial(network, address); err == nil {
			c.Close()
			return
		}
	}
	t.Fatal("the kernel does not listen")
}

// ended waits for Serve to return.
func (k *testKernel) ended(t *testing.T) {
	t.Helper()
	select {
	case err := <-k.done:
		k.done <- err
	case <-time.After(patience):
		t.Fatal("the kernel has not ended")
	}
}

func testConnection(t testing.TB, transport string) connection {
	t.Helper()
	c := connection{Transport: "tcp", IP: "127.0.0.1", Key: "a0436f6c-1916-498b-8eb9-e81ab9368e84",
		Scheme: "hmac-sha256"}
	ports := []*int{&c.Shell, &c.Control, &c.Stdin, &c.IOPub, &c.Heartbeat}
	if transport == "ipc" {
		c.Transport, c.IP = "ipc", filepath.Join(t.TempDir(), "k")
		for i, p := range ports {
			*p = i + 1
		}
		return c
	}
	for _, p := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		*p = l.Addr().(*net.TCPAddr).Port
	}
	return c
}

func writeConnection(t testing.TB, c connection) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "kernel.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (c connection) endpoint(port int) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	return fmt.Sprintf("tcp://%s:%d", c.IP, port)
}

// client is a Jupyter client on zmq4's own sockets. Every message that it receives is checked against the
// specification.
type client struct {
	t       testing.TB
	codec   *codec
	shell   *peer
	control *peer
	stdin   *peer
	iopub   *peer
}

// peer is a socket, with what has come from it.
type peer struct {
	zmq4.Socket
	in chan got
}

// got is a received message.
type got struct {
	header
	parent  header
	meta    map[string]any
	content map[string]any
	buffers [][]byte
}

func dial(t testing.TB, k *testKernel) *client {
	t.Helper()
	return dialAs(t, k, "same for all")
}

func dialAs(t testing.TB, k *testKernel, identity string) *client {
	t.Helper()
	c, stdin := dialWithoutStdin(t, k, identity)
	stdin()
	return c
}

// dialWithoutStdin returns a client without a stdin socket, and what connects that.
func dialWithoutStdin(t testing.TB, k *testKernel, identity string) (c *client, stdin func()) {
	t.Helper()
	c = &client{t: t, codec: newCodec(k.conn.Key, nil)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0))
	open := func(s zmq4.Socket, port int) *peer {
		if err := s.Dial(k.conn.endpoint(port)); err != nil {
			t.Fatal(err)
		}
		p := &peer{s, make(chan got, 200000)}
		t.Cleanup(func() { s.Close() })
		return p
	}
	dealer := func() zmq4.Socket { return zmq4.NewDealer(ctx, quiet, zmq4.WithID(zmq4.SocketIdentity(identity))) }
	c.shell = open(dealer(), k.conn.Shell)
	c.control = open(dealer(), k.conn.Control)
	c.iopub = open(zmq4.NewSub(ctx, quiet), k.conn.IOPub)
	if err := c.iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*peer{c.shell, c.control, c.iopub} {
		go c.receive(p)
	}
	c.settle()
	return c, func() {
		c.stdin = open(dealer(), k.conn.Stdin)
		go c.receive(c.stdin)
	}
}

// settle waits until the kernel has taken note of the subscription, which it says, and until it has answered a request.
func (c *client) settle() {
	c.t.Helper()
	for c.next(c.iopub).Type != "iopub_welcome" {
	}
	id := c.send(c.shell, "kernel_info_request", nil)
	c.reply(c.shell, id)
	c.outputs(id)
}

func (c *client) receive(p *peer) {
	for {
		raw, err := p.Recv()
		if err != nil {
			close(p.in)
			return
		}
		m, err := c.parse(raw.Frames)
		if err != nil {
			c.t.Errorf("received a bad message: %v", err)
			continue
		}
		p.in <- m
	}
}

func (c *client) parse(frames [][]byte) (m got, err error) {
	msg, err := c.codec.decode(frames)
	if err != nil {
		return m, err
	}
	at := len(msg.routes) + 2
	for i, into := range []any{&m.header, &m.parent, &m.meta, &m.content} {
		if err := json.Unmarshal(frames[at+i], into); err != nil {
			return m, err
		}
	}
	m.buffers = msg.buffers
	return m, checkMessage(m)
}

// send sends a request and returns its ID.
func (c *client) send(p *peer, msgType string, content map[string]any) string {
	c.t.Helper()
	if content == nil {
		content = map[string]any{}
	}
	frames, err := c.codec.encode(nil, msgType, nil, nil, content)
	if err != nil {
		c.t.Fatal(err)
	}
	c.sendFrames(p, frames)
	var h header
	if err := json.Unmarshal(frames[2], &h); err != nil {
		c.t.Fatal(err)
	}
	return h.ID
}

func (c *client) sendFrames(p *peer, frames [][]byte) {
	c.t.Helper()
	if err := p.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		c.t.Fatal(err)
	}
}

// next waits for the next message.
func (c *client) next(p *peer) got {
	c.t.Helper()
	select {
	case m, ok := <-p.in:
		if !ok {
			c.t.Fatal("the connection is closed")
		}
		return m
	case <-time.After(patience):
		c.t.Fatal("no message came")
	}
	return got{}
}

// reply waits for the reply to a request. Others in between are passed over.
func (c *client) reply(p *peer, id string) got {
	c.t.Helper()
	for {
		if m := c.next(p); m.parent.ID == id {
			return m
		}
	}
}

// outputs collects what iopub shows for a request, from busy to idle.
func (c *client) outputs(id string) []got {
	c.t.Helper()
	var all []got
	busy := false
	for {
		m := c.next(c.iopub)
		if m.parent.ID != id {
			continue
		}
		switch m.content["execution_state"] {
		case "busy": // again after another message was done beside the cell
			if !busy && len(all) > 0 {
				c.t.Errorf("%s came before busy", all[0].Type)
			}
			busy = true
		case "idle":
			if !busy {
				c.t.Error("idle came without busy")
			}
			return all
		default:
			all = append(all, m)
		}
	}
}

func cell(code string) map[string]any {
	return map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]string{},
		"allow_stdin": true, "stop_on_error": true}
}

// run runs a cell and returns its reply and what it showed.
func (c *client) run(code string) (got, []got) {
	c.t.Helper()
	id := c.send(c.shell, "execute_request", cell(code))
	r := c.reply(c.shell, id)
	return r, c.outputs(id)
}

// started waits until a cell that begins with print prints, and returns its ID. The messages up to there are consumed.
func (c *client) started() string {
	c.t.Helper()
	for {
		if m := c.next(c.iopub); m.Type == "stream" {
			return m.parent.ID
		}
	}
}

// text joins what the cell printed.
func text(ms []got, name string) string {
	var b strings.Builder
	for _, m := range ms {
		if m.Type == "stream" && m.content["name"] == name {
			b.WriteString(m.content["text"].(string))
		}
	}
	return b.String()
}

func types(ms []got) string {
	var names []string
	for _, m := range ms {
		names = append(names, m.Type)
	}
	return strings.Join(names, " ")
}

// fields are the keys that a message of a type must have, with the JSON type of each, after the messaging
// specification.
var fields = map[string]string{
	"status":                "execution_state:string",
	"stream":                "name:string text:string",
	"execute_input":         "code:string execution_count:number",
	"execute_result":        "execution_count:number data:object metadata:object",
	"display_data":          "data:object metadata:object transient:object",
	"update_display_data":   "data:object metadata:object transient:object",
	"error":                 "ename:string evalue:string traceback:array",
	"clear_output":          "wait:bool",
	"input_request":         "prompt:string password:bool",
	"iopub_welcome":         "subscription:string",
	"comm_open":             "comm_id:string target_name:string data:object",
	"comm_msg":              "comm_id:string data:object",
	"comm_close":            "comm_id:string data:object",
	"shutdown_reply":        "status:string restart:bool",
	"kernel_info_reply":     "status:string protocol_version:string implementation:string implementation_version:string language_info:object banner:string help_links:array supported_features:array",
	"execute_reply":         "status:string execution_count:number user_expressions:object payload:array",
	"complete_reply":        "status:string matches:array cursor_start:number cursor_end:number metadata:object",
	"inspect_reply":         "status:string found:bool data:object metadata:object",
	"is_complete_reply":     "status:string",
	"history_reply":         "status:string history:array",
	"comm_info_reply":       "status:string comms:object",
	"connect_reply":         "status:string shell_port:number iopub_port:number stdin_port:number hb_port:number",
	"interrupt_reply":       "status:string",
	"create_subshell_reply": "status:string subshell_id:string",
	"delete_subshell_reply": "status:string",
	"list_subshell_reply":   "status:string subshell_id:array",
	"usage_reply":           "hostname:string pid:number cpu_count:number kernel_cpu:number",
	"debug_reply":           "type:string seq:number request_seq:number success:bool command:string",
	"debug_event":           "type:string seq:number event:string body:object",
}

// allowed are the values that a field may have, after the messaging specification.
var allowed = map[string]string{
	"status execution_state":   "starting busy idle",
	"stream name":              "stdout stderr",
	"is_complete_reply status": "complete incomplete invalid unknown error",
}

func checkValues(m got) error {
	if _, is := m.content["status"].(string); is && m.Type != "is_complete_reply" &&
		!slices.Contains([]string{"ok", "error", "aborted"}, m.content["status"].(string)) {
		return fmt.Errorf("%s: status is %v", m.Type, m.content["status"])
	}
	for name, value := range m.content {
		if may, ok := allowed[m.Type+" "+name]; ok && !slices.Contains(strings.Fields(may), fmt.Sprint(value)) {
			return fmt.Errorf("%s: %s is %v, it may be %s", m.Type, name, value, may)
		}
		bundle, ok := value.(map[string]any)
		if name != "data" || !ok || strings.HasPrefix(m.Type, "comm_") {
			continue
		}
		for mime, content := range bundle { // text and base64 are strings; only JSON is anything else
			if _, text := content.(string); !text && !strings.HasSuffix(mime, "json") {
				return fmt.Errorf("%s: %s is %T", m.Type, mime, content)
			}
		}
	}
	if parent := m.parent; parent.ID == "" && m.Type != "status" && m.Type != "iopub_welcome" &&
		m.Type != "shutdown_reply" {
		return fmt.Errorf("%s: it answers nothing", m.Type)
	}
	return nil
}

func checkMessage(m got) error {
	if err := checkValues(m); err != nil {
		return err
	}
	want, ok := fields[m.Type]
	if !ok {
		return fmt.Errorf("unknown type %q", m.Type)
	}
	if m.Version != protocolVersion || m.ID == "" || m.Session == "" {
		return fmt.Errorf("%s: incomplete header %+v", m.Type, m.header)
	}
	if _, err := time.Parse(time.RFC3339Nano, m.Date); err != nil {
		return fmt.Errorf("%s: date: %w", m.Type, err)
	}
	if m.content["status"] == statusAborted {
		return nil
	}
	if m.content["status"] == statusError {
		want = fields["error"]
	}
	for _, f := range strings.Fields(want) {
		name, kind, _ := strings.Cut(f, ":")
		if have := jsonType(m.content[name]); have != kind {
			return fmt.Errorf("%s: %s is %s, want %s", m.Type, name, have, kind)
		}
	}
	return nil
}

func jsonType(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "bool"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "missing"
}

// syncBuffer is a log that tests can read.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }
