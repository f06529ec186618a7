package jupyter

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// connection is the content of a connection file.
type connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Shell     int    `json:"shell_port"`
	Control   int    `json:"control_port"`
	Stdin     int    `json:"stdin_port"`
	IOPub     int    `json:"iopub_port"`
	Heartbeat int    `json:"hb_port"`
	Key       string `json:"key"`
	Scheme    string `json:"signature_scheme"`
	Public    string `json:"curve_publickey,omitempty"`
	Secret    string `json:"curve_secretkey,omitempty"`

	ports portRange        // for ports that are 0
	curve *curveKeys       // Public and Secret; nil where connections are not encrypted
	hash  func() hash.Hash // of Scheme; nil for SHA-256
}

func readConnection(path string) (connection, error) {
	text, err := readSmall(path)
	if err != nil {
		return connection{}, fmt.Errorf("jupyter: connection file: %w", err)
	}
	return parseConnection(path, text)
}

func parseConnection(path string, text []byte) (connection, error) {
	var c connection
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	if c.Transport == "" {
		c.Transport = "tcp"
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return c, fmt.Errorf("jupyter: connection file %s: transport %q is not supported, only tcp and ipc", path,
			c.Transport)
	}
	var err error
	if c.hash, err = schemeHash(c.Scheme); c.Key != "" && err != nil {
		return c, fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	curve, err := parseCurveKeys(c.Public, c.Secret)
	if err != nil {
		return c, fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	c.curve = curve
	if c.IP == "" {
		return c, fmt.Errorf("jupyter: connection file %s: ip is missing", path)
	}
	ports := map[string]int{"shell_port": c.Shell, "control_port": c.Control, "stdin_port": c.Stdin,
		"iopub_port": c.IOPub, "hb_port": c.Heartbeat}
	used := map[int]string{}
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		p := ports[name]
		if p < 0 || p > 65535 {
			return c, fmt.Errorf("jupyter: connection file %s: %s is %d, it must be a port from 1 to 65535, or 0 for one "+
				"that is free", path, name, p)
		}
		if p == 0 {
			continue
		}
		if other := used[p]; other != "" {
			return c, fmt.Errorf("jupyter: connection file %s: %s and %s are both %d, they must differ", path, other,
				name, p)
		}
		used[p] = name
	}
	return c, nil
}

// readSmall reads a file of the size that a connection file can have. Other than regular files are refused: a pipe
// could block the kernel for ever, before it has a socket to report that.
func readSmall(path string) ([]byte, error) {
	const limit = 64 << 10
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not an ordinary file", path)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are accepted", path, info.Size(), limit)
	}
	return os.ReadFile(path)
}

// portFields are the ports, in the order of sockets.all.
func (c *connection) portFields() []*int {
	return []*int{&c.Shell, &c.Control, &c.Stdin, &c.IOPub, &c.Heartbeat}
}

// listen opens one of the connection's addresses. For ipc the "port" is the end of a file name.
func (c *connection) listen(port int) (net.Listener, error) {
	if c.Transport == "ipc" {
		return listenUnix(c.IP + "-" + strconv.Itoa(port))
	}
	return net.Listen("tcp", net.JoinHostPort(strings.TrimPrefix(c.IP, "*"), strconv.Itoa(port)))
}

// maxSearch is how many names of unix sockets are tried for one that is free.
const maxSearch = 100

// listenAt opens the address of a port, or of a free one if it is 0, which becomes that.
func (c *connection) listenAt(port *int) (net.Listener, error) {
	if *port != 0 {
		return c.listen(*port)
	}
	if c.Transport != "ipc" {
		l, err := c.ports.listen(c.listen)
		if err == nil {
			*port = l.Addr().(*net.TCPAddr).Port
		}
		return l, err
	}
	var err error
	for n := 1; n <= maxSearch; n++ {
		if slices.ContainsFunc(c.portFields(), func(p *int) bool { return *p == n }) {
			continue
		}
		var l net.Listener
		if l, err = c.listen(n); err == nil {
			*port = n
			return l, nil
		}
	}
	return nil, err
}

// savePorts writes the ports that were 0 into the connection file, where the client that wrote the file reads them. All
// other fields stay as they are.
func (c *connection) savePorts(path string) error {
	text, err := readSmall(path)
	if err != nil {
		return fmt.Errorf("jupyter: connection file: %w", err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	for i, name := range []string{"shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"} {
		fields[name] = json.RawMessage(strconv.Itoa(*c.portFields()[i]))
	}
	if text, err = json.MarshalIndent(fields, "", "  "); err != nil {
		return fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	// In one step: a client may read the file at any time. It has the key, so nobody else may read it.
	temp, err := os.CreateTemp(filepath.Dir(path), ".gorocm-*")
	if err != nil {
		return fmt.Errorf("jupyter: connection file: %w", err)
	}
	_, err = temp.Write(append(text, '\n'))
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("jupyter: connection file: %w", err), os.Remove(temp.Name()))
	}
	return nil
}

// maxUnixPath is the longest path that both Linux and macOS accept, including the terminating 0 byte.
const maxUnixPath = 104

// listenUnix also replaces a socket file that nobody listens on, left behind by a kernel that was killed. Only this
// user can connect to it.
func listenUnix(path string) (net.Listener, error) {
	if len(path) >= maxUnixPath {
		return nil, fmt.Errorf("the path %s has %d bytes, a unix socket's can have %d: use a shorter folder, or tcp",
			path, len(path), maxUnixPath-1)
	}
	l, err := bindUnix(path)
	if err == nil {
		return l, nil
	}
	info, statErr := os.Stat(path)
	if statErr != nil || info.Mode()&os.ModeSocket == 0 {
		return nil, err
	}
	if c, dialErr := net.Dial("unix", path); dialErr == nil {
		c.Close()
		return nil, err
	}
	if rmErr := os.Remove(path); rmErr != nil {
		return nil, errors.Join(err, rmErr)
	}
	return bindUnix(path)
}

func bindUnix(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
