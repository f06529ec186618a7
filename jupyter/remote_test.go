package jupyter

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
)

// testGateway is what listens for the ports of kernels.
type testGateway struct {
	key *rsa.PrivateKey
	l   net.Listener
}

func newTestGateway(t *testing.T) (*testGateway, Remote) {
	key, err := rsa.GenerateKey(rand.Reader, 1024) // the size of Enterprise Gateway's
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &testGateway{key, l}, Remote{KernelID: "k-1", Address: l.Addr().String(),
		PublicKey: base64.StdEncoding.EncodeToString(der), Ports: "0..0"}
}

// reported is what a kernel has sent.
type reported struct {
	connection
	PID      int    `json:"pid"`
	Port     int    `json:"comm_port"`
	KernelID string `json:"kernel_id"`
}

func (g *testGateway) wait(t *testing.T) (r reported) {
	c, err := g.l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, c))
	if err != nil {
		t.Fatal(err)
	}
	var payload struct {
		Version  int
		Key      []byte
		ConnInfo []byte `json:"conn_info"`
	}
	if err := json.Unmarshal(text, &payload); err != nil || payload.Version != 1 {
		t.Fatalf("version %d, error %v", payload.Version, err)
	}
	//lint:ignore SA1019 the gateways' protocol has PKCS #1 v1.5
	secret, err := rsa.DecryptPKCS1v15(nil, g.key, payload.Key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		t.Fatal(err)
	}
	info := payload.ConnInfo
	for b := info; len(b) > 0; b = b[aes.BlockSize:] {
		block.Decrypt(b, b)
	}
	pad := int(info[len(info)-1])
	if pad < 1 || pad > aes.BlockSize || !bytes.HasSuffix(info, bytes.Repeat([]byte{byte(pad)}, pad)) {
		t.Fatalf("padding of %q", info)
	}
	if err := json.Unmarshal(info[:len(info)-pad], &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// request sends a kernel what a gateway does.
func (r reported) request(t *testing.T, text string) {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.Port))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, text)
	c.Close()
}

// TestRemote starts a kernel as a gateway does on another machine, runs cells in it, interrupts and ends it.
func TestRemote(t *testing.T) {
	g, remote := newTestGateway(t)
	done := make(chan error, 1)
	go func() { done <- ServeRemote(context.Background(), remote, newFake, Options{Log: quietLog()}) }()
	r := g.wait(t)
	if r.KernelID != "k-1" || r.PID == 0 || r.IP != "0.0.0.0" || len(r.Key) < 40 || r.Scheme != "hmac-sha256" {
		t.Fatalf("%+v", r)
	}
	r.IP = "127.0.0.1"
	c := dial(t, &testKernel{conn: r.connection})
	if reply, _ := c.run("print hello"); reply.content["status"] != "ok" {
		t.Errorf("%v", reply.content)
	}
	r.request(t, `{"signum": 0}`)
	r.request(t, "no request")
	id := c.send(c.shell, "execute_request", cell("print started\nsleep 1h"))
	c.started()
	r.request(t, `{"signum": 2}`)
	if reply := c.reply(c.shell, id); reply.content["ename"] != "Interrupted" {
		t.Errorf("the interrupted cell: %v", reply.content)
	}
	r.request(t, `{"shutdown": 1}`)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRemoteRefuses(t *testing.T) {
	_, good := newTestGateway(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, c := range []struct {
		name   string
		change func(*Remote)
		want   string
	}{
		{"no base64", func(r *Remote) { r.PublicKey = "!" }, "not base64"},
		{"no key", func(r *Remote) { r.PublicKey = "AAAA" }, "public key"},
		{"no ID", func(r *Remote) { r.KernelID = "" }, "--kernel-id"},
		{"no port", func(r *Remote) { r.Address = "127.0.0.1" }, "response address"},
		{"a range", func(r *Remote) { r.Ports = "9..1" }, "want LOW..HIGH"},
		{"half a range", func(r *Remote) { r.Ports = "9000" }, "want LOW..HIGH"},
		{"no gateway", func(r *Remote) { r.Address = closed.Addr().String() }, "cannot be reached"},
	} {
		r := good
		c.change(&r)
		err := ServeRemote(context.Background(), r, newFake, Options{Log: quietLog()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPortRange: a port that is taken is passed over, and a range without a free one is an error.
func TestPortRange(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	c := connection{Transport: "tcp", IP: "127.0.0.1", ports: portRange{port, port}}
	free := 0
	if l, err := c.listenAt(&free); err == nil || !strings.Contains(err.Error(), "is free") {
		t.Errorf("%v on port %d, error %v", l, free, err)
	}
	taken.Close()
	l, err := c.listenAt(&free)
	if err != nil || free != port {
		t.Fatalf("port %d, error %v; want %d", free, err, port)
	}
	l.Close()
}

// TestFromGateway: requests are not signed, so only the gateway's own address, and this machine's, are heard.
func TestFromGateway(t *testing.T) {
	gateway := netip.MustParseAddr("10.1.2.3")
	for peer, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "127.0.0.1": true, "::1": true,
		"10.1.2.4": false, "fe80::1": false} {
		at := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(peer), 5))
		if got := fromGateway(at, gateway); got != want {
			t.Errorf("%s: %t", peer, got)
		}
	}
}

func FuzzRequestedSignal(f *testing.F) {
	for _, s := range []string{`{"signum": 2}`, `{"signum": 19}`, `{"shutdown": true}`, `{"shutdown": "1"}`, "", "[1]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		switch s := requestedSignal(text); s {
		case 0, syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL:
		default:
			t.Errorf("%q is signal %v", text, s)
		}
	})
}
