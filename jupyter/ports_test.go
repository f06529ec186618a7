package jupyter

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFreePorts: ports of 0 become free ones, which the connection file has before the kernel serves.
func TestFreePorts(t *testing.T) {
	for _, transport := range []string{"tcp", "ipc"} {
		t.Run(transport, func(t *testing.T) {
			conn := testConnection(t, transport)
			given := conn.Control
			conn.Shell, conn.Stdin, conn.IOPub, conn.Heartbeat = 0, 0, 0, 0
			file := writeConnection(t, conn)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(strings.Replace(string(text), "{", `{"kernel_name":"gorocm",`, 1))
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- Serve(ctx, file, newFake, Options{ParentPID: -1}) }()
			defer func() {
				stop()
				if err := <-done; err != nil {
					t.Error(err)
				}
			}()
			var found connection
			for end := time.Now().Add(patience); found.Shell == 0; time.Sleep(5 * time.Millisecond) {
				if found, err = readConnection(file); err != nil || time.Now().After(end) {
					t.Fatalf("%+v, error %v", found, err)
				}
			}
			if found.Control != given || found.Key != conn.Key || found.IP != conn.IP {
				t.Errorf("%+v of %+v", found, conn)
			}
			if text, err = os.ReadFile(file); err != nil || !strings.Contains(string(text), `"kernel_name": "gorocm"`) {
				t.Errorf("a field is lost: %s, error %v", text, err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, error %v", info.Mode(), err)
			}
			k := &testKernel{conn: found}
			c := dial(t, k)
			reply := c.reply(c.shell, c.send(c.shell, "connect_request", nil))
			if got := reply.content["shell_port"]; got != float64(found.Shell) {
				t.Errorf("connect_reply has shell_port %v, the file %d", got, found.Shell)
			}
		})
	}
}

// TestSchemes compares signatures with those of Python's hmac, where there is a Python.
func TestSchemes(t *testing.T) {
	parts := [][]byte{[]byte(`{"msg_id":"1"}`), []byte("{}"), []byte("{}"), []byte(`{"code":"1+1"}`)}
	got := map[string]string{}
	for name, h := range hashes {
		sum := newCodec("the key", h).sign(parts)
		got[name] = fmt.Sprintf("%x", sum)
		if c := newCodec("the key", h); c.verify([]byte(got[name]), parts) != nil {
			t.Errorf("%s: its own signature is not accepted", name)
		} else if c.verify([]byte(got[name]), parts) == nil {
			t.Errorf("%s: a replay is accepted", name)
		} else if c.verify([]byte(got[name][2:]), parts) == nil {
			t.Errorf("%s: a short signature is accepted", name)
		}
		if mac := hmac.New(h, []byte("the key")); mac.Size() != len(sum) {
			t.Errorf("%s: %d bytes, want %d", name, len(sum), mac.Size())
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	out, err := exec.Command(python, "-c", `
import hashlib, hmac, json, sys
names, parts = json.loads(sys.argv[1]), json.loads(sys.argv[2])
print(json.dumps({n: hmac.new(b"the key", "".join(parts).encode(), getattr(hashlib, n)).hexdigest() for n in names}))`,
		jsonText(t, keys(got)), jsonText(t, texts(parts))).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var want map[string]string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for name, sum := range want {
		if got[name] != sum {
			t.Errorf("%s: %s, Python's is %s", name, got[name], sum)
		}
	}
}

func keys(m map[string]string) (r []string) {
	for k := range m {
		r = append(r, k)
	}
	return r
}

func texts(parts [][]byte) (r []string) {
	for _, p := range parts {
		r = append(r, string(p))
	}
	return r
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestUsageRequest asks on the control channel, as JupyterLab's resource panel does.
func TestUsageRequest(t *testing.T) {
	c := dial(t, startKernel(t, setup{}))
	r := c.reply(c.control, c.send(c.control, "usage_request", nil))
	if r.content["pid"] != float64(os.Getpid()) {
		t.Errorf("%v", r.content)
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil && (r.content["kernel_memory"] == nil ||
		r.content["host_virtual_memory"] == nil) {
		t.Errorf("%v", r.content)
	}
}

// TestUsage reads a folder such as /proc twice.
func TestUsage(t *testing.T) {
	proc := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stat := func(pid, parent, user, system, pages int) {
		put(fmt.Sprintf("%d/stat", pid), fmt.Sprintf("%d (a (strange) name) S %d 1 1 0 -1 4194304 1 0 0 0 %d %d 0 0 20 0 "+
			"9 0 100 1000000 %d 18446744073709551615", pid, parent, user, system, pages))
	}
	stat(7, 1, 100, 50, 10)
	stat(8, 7, 10, 0, 20)
	stat(9, 8, 10, 0, 40)
	stat(10, 1, 5000, 0, 1000)
	put("8/smaps_rollup", "0-f ---p 0 00:00 0 [rollup]\nRss: 80 kB\nPss: 60 kB\n")
	put("self/stat", "junk")
	put("11/stat", "11 (truncated) S 7")
	put("stat", "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 1 1 1\n")
	put("meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\n")
	var u usage
	r := usageReply{PID: 7}
	u.measure(&r, proc)
	page := os.Getpagesize()
	if want := 10*page + 60<<10 + 40*page; r.Memory != want || r.CPU != 0 || r.HostCPU != 0 {
		t.Errorf("%+v, want %d bytes", r, want)
	}
	if r.Host == nil || *r.Host != (hostMemory{1000 << 10, 400 << 10, 60, 600 << 10, 100 << 10}) {
		t.Errorf("%+v", r.Host)
	}
	u.at = time.Now().Add(-1000 * time.Second)
	stat(8, 7, 10, 50000, 20)
	put("stat", "cpu  150 0 150 750 150 0 0 0 0 0\n")
	r = usageReply{PID: 7}
	u.measure(&r, proc)
	if r.CPU < 49 || r.CPU > 50 || r.HostCPU != 50 {
		t.Errorf("%v %% and %v %% of the host, want 50 and 50", r.CPU, r.HostCPU)
	}
	r = usageReply{PID: 7}
	u.measure(&r, filepath.Join(proc, "none"))
	if r.Memory != 0 || r.Host != nil {
		t.Errorf("%+v without /proc", r)
	}
}
