package repl

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestServers runs programs with clients of PostgreSQL and Redis against the real servers, which it starts.
func TestServers(t *testing.T) {
	if os.Getenv("GOROCM_TEST_MODULES") == "" {
		t.Skip("downloads modules and starts servers: .ci/modules")
	}
	runPopular(t, "modules/testdata/servers/*.go", "GOROCM_TEST_POSTGRES="+startPostgres(t),
		"GOROCM_TEST_REDIS="+startRedis(t))
}

// startPostgres starts a server with an empty database, and returns how to connect to it.
func startPostgres(t *testing.T) string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 {
		t.Skip("no PostgreSQL (Debian's package postgresql)")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "postgres") // which the server's user can reach, unlike t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	who := serverUser(t, dir)
	data, port := filepath.Join(dir, "data"), freePort(t)
	initialise := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "tester", "--no-sync")
	initialise.Dir, initialise.SysProcAttr = dir, who
	if out, err := initialise.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-k", dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off")
	server.Dir, server.SysProcAttr = dir, who
	start(t, server, syscall.SIGINT, func() bool {
		return exec.Command(filepath.Join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port).Run() == nil
	})
	return fmt.Sprintf("postgres://tester@127.0.0.1:%s/postgres", port)
}

// serverUser is the user that a server runs as, which may not be root, and gives the folder to it.
func serverUser(t *testing.T, dir string) *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func startRedis(t *testing.T) (address string) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("no Redis (Debian's package redis-server)")
	}
	port := freePort(t)
	address = "127.0.0.1:" + port
	start(t, exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--save", ""), syscall.SIGTERM, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return address
}

// start starts a server, waits until it is ready, and ends it with the test.
func start(t *testing.T, server *exec.Cmd, end syscall.Signal, ready func() bool) {
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Signal(end)
		<-ended
	})
	for !ready() {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v", server.Path, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
