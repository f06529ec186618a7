package jupyter

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

func TestConnectionFile(t *testing.T) {
	good := testConnection(t, "tcp")
	change := func(f func(*connection)) string {
		c := good
		f(&c)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tests := []struct{ name, text, err string }{
		{"good", change(func(*connection) {}), ""},
		{"no transport", change(func(c *connection) { c.Transport = "" }), ""},
		{"no key", change(func(c *connection) { c.Key, c.Scheme = "", "" }), ""},
		{"not JSON", "{", "unexpected end"},
		{"transport", change(func(c *connection) { c.Transport = "pgm" }), `transport "pgm" is not supported`},
		{"scheme", change(func(c *connection) { c.Scheme = "hmac-crc32" }),
			`signature_scheme "hmac-crc32" is not supported, only hmac-X with X one of blake2b, blake2s, md5,`},
		{"another scheme", change(func(c *connection) { c.Scheme = "hmac-sha3_256" }), ""},
		{"keys of CurveZMQ", change(func(c *connection) { c.Public, c.Secret = testCurvePublic, testCurveSecret }), ""},
		{"half of them", change(func(c *connection) { c.Public = testCurvePublic }), "curve_secretkey: 0 characters"},
		{"no ip", change(func(c *connection) { c.IP = "" }), "ip is missing"},
		{"a free port", change(func(c *connection) { c.Stdin = 0 }), ""},
		{"negative port", change(func(c *connection) { c.Stdin = -1 }), "stdin_port is -1"},
		{"one port twice", change(func(c *connection) { c.Stdin = c.Control }), "control_port and stdin_port are both"},
		{"a string for a port", strings.Replace(change(func(c *connection) {}), `"hb_port":`, `"hb_port":"1","x":`, 1),
			"cannot unmarshal string"},
		{"endless", strings.Repeat(" ", 1<<20), "at most 65536 are accepted"},
		{"empty", "", "unexpected end"},
		{"null", "null", "ip is missing"},
		{"large port", change(func(c *connection) { c.Shell = 65536 }), "shell_port is 65536"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "c.json")
			if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := readConnection(name)
			if test.err == "" && err != nil || test.err != "" &&
				(err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
	if err := Serve(context.Background(), filepath.Join(t.TempDir(), "none.json"), newFake, Options{}); err == nil {
		t.Error("no error without a connection file")
	}
}

// TestConnectionPipe: a pipe that nobody writes to does not hold the kernel up.
func TestConnectionPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if _, err := readConnection(name); err == nil || !strings.Contains(err.Error(), "not an ordinary file") {
		t.Errorf("error %v", err)
	}
}

func TestUnixSocketFiles(t *testing.T) {
	conn := testConnection(t, "ipc")
	l, err := conn.listen(1)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(conn.IP + "-1")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: others can connect", info.Mode(), err)
	}
	l.Close()
	if _, err := os.Stat(conn.IP + "-1"); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
	conn.IP = filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if l, err := conn.listen(1); err == nil || !strings.Contains(err.Error(), "use a shorter folder") {
		t.Errorf("%v, error %v", l, err)
	}
}

// TestAddressInUse: the error says which socket, and the others are closed again.
func TestAddressInUse(t *testing.T) {
	conn := testConnection(t, "tcp")
	_, address, _ := strings.Cut(conn.endpoint(conn.IOPub), "://")
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = Serve(context.Background(), writeConnection(t, conn), newFake, Options{})
	if err == nil || !strings.Contains(err.Error(), "the iopub socket") {
		t.Errorf("error %v", err)
	}
	_, address, _ = strings.Cut(conn.endpoint(conn.Shell), "://")
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the shell socket is still open: %v", err)
	}
	again.Close()
}

func TestStaleSocketFile(t *testing.T) {
	conn := testConnection(t, "ipc")
	l, err := net.Listen("unix", conn.IP+"-1")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := conn.listen(1); err == nil {
		other.Close()
		t.Error("a socket that another process listens on was taken over")
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close() // as after SIGKILL, the file stays
	again, err := conn.listen(1)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestWatchParent: the end of a process that is not our direct parent is noticed too.
func TestWatchParent(t *testing.T) {
	thorough.Slow(t)
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("sleep is not installed")
	}
	launcher := exec.Command(sleep, "1000")
	if err := launcher.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := watchParent(ctx, launcher.Process.Pid)
	t.Setenv("JPY_PARENT_PID", "")
	for name, never := range map[string]<-chan struct{}{
		"no parent":     watchParent(ctx, 0),
		"told not to":   watchParent(ctx, -1),
		"direct parent": watchParent(ctx, os.Getppid()),
	} {
		select {
		case <-never:
			t.Errorf("%s has ended", name)
		default:
		}
	}
	select {
	case <-ended:
		t.Error("the launcher is taken for dead")
	default:
	}
	launcher.Process.Kill()
	launcher.Wait()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the launcher's end goes unnoticed")
	}
}
