package jupyter

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// connection is what a connection file says.
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
}

func readConnection(path string) (connection, error) {
	var c connection
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("jupyter: connection file: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("jupyter: connection file %s: %w", path, err)
	}
	if c.Transport == "" {
		c.Transport = "tcp"
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return c, fmt.Errorf("jupyter: connection file %s: transport %q is not supported, only tcp and ipc", path, c.Transport)
	}
	if c.Key != "" && c.Scheme != "" && c.Scheme != "hmac-sha256" {
		return c, fmt.Errorf("jupyter: connection file %s: signature_scheme %q is not supported, only hmac-sha256", path, c.Scheme)
	}
	if c.IP == "" {
		return c, fmt.Errorf("jupyter: connection file %s: ip is missing", path)
	}
	ports := map[string]int{"shell_port": c.Shell, "control_port": c.Control, "stdin_port": c.Stdin, "iopub_port": c.IOPub, "hb_port": c.Heartbeat}
	for name, p := range ports {
		if p < 1 || p > 65535 {
			return c, fmt.Errorf("jupyter: connection file %s: %s is %d, it must be a port from 1 to 65535", path, name, p)
		}
	}
	return c, nil
}

// listen opens one of the connection's addresses. For ipc the "port" is the end of a file name.
func (c connection) listen(port int) (net.Listener, error) {
	if c.Transport == "ipc" {
		return listenUnix(c.IP + "-" + strconv.Itoa(port))
	}
	return net.Listen("tcp", net.JoinHostPort(strings.TrimPrefix(c.IP, "*"), strconv.Itoa(port)))
}

// listenUnix also replaces a socket file that nobody listens on, left behind by a kernel that was killed.
func listenUnix(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
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
	return net.Listen("unix", path)
}
