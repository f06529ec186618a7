package compile

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/dl"
	"github.com/gorocm/gorocm/internal/processes"
	"github.com/gorocm/gorocm/internal/self"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Run-time compilers are libraries, and LLVM ends its process at an instruction that it cannot select. So programs that
// call Serve compile in child processes, which run the same program: the end of a child is an error of one compilation.
// Children also compile side by side, where a library compiles one source at a time.
//
// The parent writes a request to the child's standard input; the child writes its reply to a pipe of its own,
// since compilers print where they like.

// childName is the first argument of a child, by which Serve recognises it. No program has such a name.
const childName = "gorocm: compiler"

// InChildren is true when this program compiles in child processes.
var InChildren atomic.Bool

// childSlots limits the number of children.
var childSlots = make(chan struct{}, max(2, runtime.NumCPU()))

// Serve compiles what a parent asks for and returns true, if this process is such a child. Otherwise it returns false,
// and this process compiles in children from now on. See rocm.ServeCompiler.
func Serve() bool {
	if len(os.Args) != 1 || os.Args[0] != childName {
		InChildren.Store(true)
		return false
	}
	signal.Ignore(os.Interrupt) // which a terminal sends to all processes of a session
	reply := replyFile()
	defer reply.Close()
	_ = serveCompile(os.Stdin, reply) // the parent notices that there is no reply
	return true
}

type compileRequest struct {
	Platform     driver.Platform
	Library      string // the file of the parent's compiler
	Major, Minor int32
	Version      string // Compiler.Version of the parent's
	Name, Source string
	Options      []string
}

type compileReply struct {
	Image []byte
	Error *driver.Error // without its Kind, which is ErrCompile
	Other bool          // the child has another compiler than its parent, and has compiled nothing
}

func serveCompile(from io.Reader, to io.Writer) error {
	var q compileRequest
	if err := gob.NewDecoder(from).Decode(&q); err != nil {
		return err
	}
	r, err := q.loadCompiler()
	if err != nil || r.Version() != q.Version {
		return gob.NewEncoder(to).Encode(compileReply{Other: true})
	}
	var a compileReply
	a.Image, err = r.compileInProcess(q.Name, q.Source, q.Options)
	if err != nil && !errors.As(err, &a.Error) {
		a.Error = &driver.Error{Op: "compile " + q.Name, Text: err.Error()}
	}
	if a.Error != nil {
		a.Error.Kind = nil // gob takes no interfaces
	}
	return gob.NewEncoder(to).Encode(a)
}

// loadCompiler loads the parent's compiler. It does not load the driver or the HIP runtime, which would open the GPU.
func (q *compileRequest) loadCompiler() (*RTC, error) {
	handle, err := dl.Open(q.Library)
	if err != nil {
		return nil, err
	}
	r := &RTC{Platform: q.Platform, Library: &driver.Library{Handle: handle, Path: q.Library}, Major: q.Major,
		Minor: q.Minor}
	return r, driver.Bind(r, r.Platform.Column(), r.Library)
}

// errNoChild says that no child could be started, or that it has another compiler.
var errNoChild = errors.New("no child process to compile in")

// compileInChild compiles in a process of its own.
func (r *RTC) compileInChild(name, source string, options []string) ([]byte, error) {
	childSlots <- struct{}{}
	defer func() { <-childSlots }()
	return r.inChild(name, source, options, false)
}

// compileAhead is compileInChild in a child of the lowest priority.
func (r *RTC) compileAhead(name, source string, options []string) ([]byte, error) {
	return r.inChild(name, source, options, true)
}

func (r *RTC) inChild(name, source string, options []string, ahead bool) ([]byte, error) {
	q := compileRequest{r.Platform, r.Library.Path, r.Major, r.Minor, r.Version(), name, source, options}
	var request bytes.Buffer
	if err := gob.NewEncoder(&request).Encode(q); err != nil {
		return nil, errNoChild
	}
	reply, printed, err := runChild(&request, ahead)
	if err != nil {
		return nil, err
	}
	var a compileReply
	switch err := gob.NewDecoder(bytes.NewReader(reply)).Decode(&a); {
	case err != nil:
		return nil, r.crashError(name, printed)
	case a.Other:
		return nil, errNoChild
	case a.Error != nil:
		a.Error.Kind = driver.ErrCompile
		return nil, a.Error
	}
	_, _ = os.Stderr.Write(printed) // as it would print in this process
	return a.Image, nil
}

// runChild runs this program as a child. It returns the reply, which is empty when the child has crashed, and what the
// child has printed.
func runChild(request io.Reader, ahead bool) (reply, printed []byte, err error) {
	program, err := self.File()
	if err != nil {
		return nil, nil, errNoChild
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, errNoChild
	}
	defer from.Close()
	var output bytes.Buffer
	cmd := processes.Own(exec.Command(program))
	cmd.Args = []string{childName}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = request, &output, &output
	cmd.SysProcAttr = killWithParent()
	giveReplyFile(cmd, to)
	runtime.LockOSThread() // the child is killed when this thread ends
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	to.Close()
	if err != nil {
		return nil, nil, errNoChild
	}
	if ahead {
		lowerPriority(cmd.Process.Pid)
	}
	reply, _ = io.ReadAll(from) // an incomplete reply does not decode
	if err := cmd.Wait(); err != nil && output.Len() == 0 {
		output.WriteString(err.Error())
	}
	return reply, output.Bytes(), nil
}

// goPanicTrace matches the first line that Go's runtime prints when a signal in C code ends the process.
var goPanicTrace = regexp.MustCompile(`(?m)^(SIG[A-Z]+)(: .*)?$|^fatal error: |^panic: `)

// crashError is the error of a compilation whose process has ended, with what the compiler printed.
func (r *RTC) crashError(name string, printed []byte) error {
	text := string(printed)
	how := "ended its process"
	if m := goPanicTrace.FindStringSubmatchIndex(text); m != nil {
		if m[2] >= 0 {
			how = "died with " + text[m[2]:m[3]]
		}
		text = text[:m[0]]
	}
	const most = 4 << 10
	if len(text) > most {
		text = text[:most] + "…"
	}
	lines := strings.TrimSpace(text)
	if lines != "" {
		lines += "\n"
	}
	return &driver.Error{Op: "compile " + name, Text: fmt.Sprintf("%s %s", filepath.Base(r.Library.Path), how),
		Kind: driver.ErrCompile,
		Detail: lines + fmt.Sprintf("that is a fatal error of the compiler itself (%s): change the kernel, or "+
			"use another version of it", r.Library.Path)}
}
