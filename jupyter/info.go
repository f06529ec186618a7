package jupyter

import (
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl"
)

func (k *kernel) kernelInfo(*request) (any, error) {
	info := k.about()
	if info.Version == "" {
		info.Version = "unknown"
	}
	return kernelInfoReply{
		Status:          statusOK,
		ProtocolVersion: protocolVersion,
		Implementation:  "gorocm",
		Version:         info.Version,
		Banner:          info.Banner,
		Language: languageInfo{
			Name:         "go",
			Version:      strings.TrimPrefix(info.Go, "go"),
			MIME:         "text/x-go",
			Extension:    ".go",
			Lexer:        "go",
			CodeMirror:   "go",
			NBConvertExp: "script",
		},
		Debugger: true,
		Features: []string{"debugger", "kernel subshells"},
		HelpLinks: []helpLink{
			{"gorocm", "https://github.com/gorocm/gorocm"},
			{"Go language", "https://go.dev/ref/spec"},
			{"Go packages", "https://pkg.go.dev/std"},
			{"ROCm", "https://rocm.docs.amd.com"},
		},
	}, nil
}

// aboutTime is how long kernel_info waits for the session. Clients wait for kernel_info before they do anything, and
// the session takes a while to start.
const aboutTime = 5 * time.Millisecond

// about describes the session: from an earlier answer, from the session, or as far as is known without it.
func (k *kernel) about() repl.Info {
	if known := k.info.Load(); known != nil {
		return *known
	}
	if err := k.session.failure(); err != nil { // the front end may still connect; its first cell will show the reason
		return repl.Info{Banner: "gorocm: " + err.Error()}
	}
	done := make(chan repl.Info, 1)
	go func() {
		info, err := ask(k, "kernel_info_request", func(s repl.Session) repl.Info { return s.Info() })
		if err != nil {
			info.Banner = "gorocm: " + err.Error()
		} else if info.Device != "" {
			k.info.Store(&info)
		}
		done <- info
	}()
	select {
	case info := <-done:
		return info
	case <-time.After(aboutTime):
		return repl.About(k.version)
	}
}

func (k *kernel) connect(*request) (any, error) {
	c := k.conn
	return connectReply{statusOK, c.Shell, c.IOPub, c.Stdin, c.Heartbeat, c.Control}, nil
}

// interruptRequest interrupts the cell of the subshell that the header names, or else that of the main shell; where the
// main shell runs none, those of all subshells.
func (k *kernel) interruptRequest(r *request) (any, error) {
	if r.Subshell == "" {
		k.interrupt()
		return okReply{statusOK}, nil
	}
	s := k.subshells.find(r.Subshell)
	if s == nil {
		return nil, noSubshell(r.Subshell)
	}
	s.interrupt()
	return okReply{statusOK}, nil
}

// shutdown answers when the session is closed: clients take the reply to mean that the work is over.
func (k *kernel) shutdown(r *request) (any, error) {
	var req shutdownRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	r.last = true
	k.cells.end()
	k.subshells.end()
	k.session.close(closeTime)
	reply := shutdownReply{statusOK, req.Restart}
	k.pub.announce(r.message, "shutdown_reply", reply) // other clients learn of it here
	return reply, nil
}
