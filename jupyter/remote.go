package jupyter

import (
	"context"
	"crypto/aes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// Remote is what a gateway tells a kernel that it starts on another machine: the templates {kernel_id},
// {response_address}, {public_key} and {port_range} of a kernelspec. Jupyter Enterprise Gateway and the package
// gateway-provisioners of jupyter_client speak this protocol.
type Remote struct {
	KernelID string
	// Address is the gateway's, IP:PORT. The kernel sends its ports and its key there, encrypted.
	Address string
	// PublicKey is the gateway's RSA key: a SubjectPublicKeyInfo in base64.
	PublicKey string
	// Ports is the range from which the kernel takes its ports, as in 30000..32000. Empty, or 0..0, is any free port.
	Ports string
}

const (
	remoteTimeout = 10 * time.Second // for the gateway to take what the kernel sends, and to send a request
	remoteRequest = 4 << 10          // bytes of a request of the gateway
)

// ServeRemote runs a kernel as Serve does, on free ports of all addresses of this machine and with a new key, which
// only the gateway learns. It takes the gateway's requests to interrupt or end the kernel on one more port, from the
// gateway's address alone.
func ServeRemote(ctx context.Context, r Remote, start func() (repl.Session, error), opts Options) error {
	key, err := r.parseKey()
	if err != nil {
		return err
	}
	conn := connection{Transport: "tcp", IP: "0.0.0.0", Key: rand.Text() + rand.Text(), Scheme: "hmac-sha256"}
	if conn.ports, err = parsePortRange(r.Ports); err != nil {
		return err
	}
	if r.KernelID == "" {
		return errors.New("jupyter: the gateway's kernel ID is missing: pass --kernel-id")
	}
	gateway, err := net.ResolveTCPAddr("tcp", r.Address)
	if err != nil {
		return fmt.Errorf("jupyter: the gateway's response address: %w", err)
	}
	opts.ParentPID = -1 // the parent is a shell, or sshd, which ends at once
	return serveOn(ctx, &conn, start, opts, defaultLimits, func(signals chan<- os.Signal) (io.Closer, error) {
		port := 0
		l, err := conn.listenAt(&port)
		if err != nil {
			return nil, fmt.Errorf("jupyter: cannot open the gateway's socket: %w", err)
		}
		if err := r.report(&conn, port, gateway, key); err != nil {
			l.Close()
			return nil, err
		}
		go serveGateway(l, gateway.AddrPort().Addr(), signals)
		return l, nil
	})
}

func (r Remote) parseKey() (*rsa.PublicKey, error) {
	der, err := base64.StdEncoding.DecodeString(r.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("jupyter: the gateway's public key is not base64: %w", err)
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("jupyter: the gateway's public key: %w", err)
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("jupyter: the gateway's public key is a %T, want an RSA key", parsed)
	}
	return key, nil
}

// portRange is the ports from which free ones are taken; the zero value leaves the choice to the system.
type portRange struct{ low, high int }

func parsePortRange(text string) (r portRange, err error) {
	low, high, ok := strings.Cut(text, "..")
	if text == "" {
		return r, nil
	}
	if ok {
		r.low, err = strconv.Atoi(low)
	}
	if ok && err == nil {
		r.high, err = strconv.Atoi(high)
	}
	if !ok || err != nil || r.low < 0 || r.high > 65535 || r.low > r.high || r.low == 0 && r.high != 0 {
		return portRange{}, fmt.Errorf("jupyter: port range %q: want LOW..HIGH of ports from 1 to 65535, or 0..0", text)
	}
	return r, nil
}

// listen opens the first port of the range that is free.
func (r portRange) listen(listen func(port int) (net.Listener, error)) (l net.Listener, err error) {
	for port := r.low; port <= r.high; port++ {
		if l, err = listen(port); err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return nil, fmt.Errorf("no port from %d to %d is free: %w", r.low, r.high, err)
}

// report sends the gateway where the kernel listens.
func (r Remote) report(c *connection, port int, gateway *net.TCPAddr, key *rsa.PublicKey) error {
	info, err := json.Marshal(struct {
		*connection
		PID      int    `json:"pid"`
		Group    int    `json:"pgid"`
		Port     int    `json:"comm_port"`
		KernelID string `json:"kernel_id"`
	}{c, os.Getpid(), processGroup(), port, r.KernelID})
	if err != nil {
		return fmt.Errorf("jupyter: %w", err)
	}
	payload, err := sealFor(key, info)
	if err != nil {
		return fmt.Errorf("jupyter: encrypt for the gateway: %w", err)
	}
	s, err := net.DialTimeout("tcp", gateway.String(), remoteTimeout)
	if err != nil {
		return fmt.Errorf("jupyter: the gateway cannot be reached: %w", err)
	}
	err = s.SetDeadline(time.Now().Add(remoteTimeout))
	if err == nil {
		_, err = s.Write(payload)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("jupyter: send to the gateway: %w", err)
	}
	return nil
}

// sealFor encrypts text as version 1 of the gateways' protocol has it: by AES-128 in ECB mode and PKCS #7 padding, with
// a key that RSA encrypts for the gateway. The key encrypts nothing else.
func sealFor(key *rsa.PublicKey, text []byte) ([]byte, error) {
	secret := make([]byte, aes.BlockSize)
	rand.Read(secret) // never fails
	//lint:ignore SA1019 the gateways' protocol has PKCS #1 v1.5
	sealed, err := rsa.EncryptPKCS1v15(rand.Reader, key, secret)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	pad := aes.BlockSize - len(text)%aes.BlockSize // PKCS #7
	text = append(text, strings.Repeat(string(rune(pad)), pad)...)
	for b := text; len(b) > 0; b = b[aes.BlockSize:] {
		block.Encrypt(b, b)
	}
	payload, err := json.Marshal(map[string]any{"version": 1, "key": base64.StdEncoding.EncodeToString(sealed),
		"conn_info": base64.StdEncoding.EncodeToString(text)})
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendEncode(nil, payload), nil
}

// serveGateway takes a gateway's requests, one a connection, until the listener is closed.
func serveGateway(l net.Listener, gateway netip.Addr, signals chan<- os.Signal) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if fromGateway(c.RemoteAddr(), gateway) {
			go serveRequest(c, signals)
		} else {
			c.Close() // the requests are not signed
		}
	}
}

// fromGateway reports whether a peer may be the gateway: it has its address, or is on this machine, which is where
// tunnels end.
func fromGateway(peer net.Addr, gateway netip.Addr) bool {
	at, ok := peer.(*net.TCPAddr)
	if !ok {
		return false
	}
	addr := at.AddrPort().Addr().Unmap()
	return addr == gateway.Unmap() || addr.IsLoopback()
}

func serveRequest(c net.Conn, signals chan<- os.Signal) {
	defer c.Close()
	if c.SetDeadline(time.Now().Add(remoteTimeout)) != nil {
		return
	}
	text, err := io.ReadAll(io.LimitReader(c, remoteRequest))
	if err != nil {
		return
	}
	switch s := requestedSignal(text); s {
	case 0: // the gateway asks whether the kernel is there
	case syscall.SIGKILL:
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // the worker ends with it
		}
	default:
		select {
		case signals <- s:
		default: // signals of the system are dropped, too, when the kernel does not take them
		}
	}
}

// requestedSignal is the signal that a gateway's request stands for: 0 for none, and for what cannot be understood.
func requestedSignal(text []byte) syscall.Signal {
	var r struct {
		Signal   *int            `json:"signum"`
		Shutdown json.RawMessage `json:"shutdown"`
	}
	if json.Unmarshal(text, &r) != nil {
		return 0
	}
	switch s := strings.Trim(string(r.Shutdown), `"`); s {
	case "", "0", "false", "null":
	default:
		return syscall.SIGTERM
	}
	if r.Signal == nil {
		return 0
	}
	switch s := syscall.Signal(*r.Signal); s {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL:
		return s
	}
	return 0
}
