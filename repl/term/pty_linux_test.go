package term

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gorocm/gorocm/internal/pty"
	"github.com/gorocm/gorocm/internal/thorough"
)

// console is this test binary's front end on a pseudo terminal.
type console struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File
	before unix.Termios

	mu   sync.Mutex
	seen bytes.Buffer
	more chan struct{}
	read int // what expect has consumed of seen
}

// patience is how long something may take on a busy machine before a test gives up.
const patience = 2 * time.Minute

func start(t *testing.T, columns int, history string) *console {
	t.Helper()
	master, slave, err := pty.Open(columns, 24)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = master.Close(), slave.Close() })
	c := &console{t: t, master: master, slave: slave, more: make(chan struct{}, 1)}
	c.before = c.termios()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command(self)
	c.cmd.Env = append(os.Environ(), "GOROCM_TERM_CHILD=1", "GOROCM_TERM_HISTORY="+history, "TERM=xterm", "NO_COLOR=1",
		"LC_ALL=C.UTF-8")
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, slave
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	go c.collect()
	c.expect("gorocm")
	c.expect("[1]: ")
	return c
}

func (c *console) termios() unix.Termios {
	c.t.Helper()
	state, err := unix.IoctlGetTermios(int(c.slave.Fd()), unix.TCGETS)
	if err != nil {
		c.t.Fatal(err)
	}
	return *state
}

func (c *console) collect() {
	buf := make([]byte, 4096)
	for {
		n, err := c.master.Read(buf)
		c.mu.Lock()
		c.seen.Write(buf[:n])
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// expect waits until the terminal shows text after what was expected before.
func (c *console) expect(text string) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		rest := c.seen.Bytes()[c.read:]
		at := bytes.Index(rest, []byte(text))
		if at >= 0 {
			c.read += at + len(text)
		}
		shown := string(rest)
		c.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-c.more:
		case <-deadline:
			c.t.Fatalf("the terminal does not show %q; since the last thing that was expected it showed %q", text,
				shown)
		}
	}
}

func (c *console) send(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// end waits for the front end to leave and checks that it leaves the terminal as it was.
func (c *console) end(want int) {
	c.t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		c.t.Fatal("the front end does not end")
	}
	if got := c.cmd.ProcessState.ExitCode(); got != want {
		c.t.Errorf("exit status %d, want %d", got, want)
	}
	if after := c.termios(); !reflect.DeepEqual(after, c.before) {
		c.t.Errorf("the terminal's state is %+v, and was %+v", after, c.before)
	}
	deadline := time.After(patience)
	for pasting := true; pasting; {
		c.mu.Lock()
		shown := c.seen.String()
		c.mu.Unlock()
		pasting = strings.LastIndex(shown, pasteOn) > strings.LastIndex(shown, pasteOff)
		select {
		case <-c.more:
		case <-deadline:
			c.t.Fatal("bracketed paste is still on")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestConsole(t *testing.T) {
	c := start(t, 80, "")
	c.send("print hello\r")
	c.expect("hello\r\n")
	c.expect("[2]: ")
	c.send("func f() {\r")
	c.expect("...: ")
	c.send("x\r}\r") // the indent is there, and the brace takes it back
	c.expect(`Out[2]: "func f() {\n\tx\n}"`)
	c.expect("[3]: ")
	c.send("half a line\x03") // Ctrl-C drops it
	c.expect("[3]: ")
	c.send("fail bad\r")
	c.expect("TypeError: bad\r\n")
	c.expect("[4]: ")
	c.send("?tensor\r")
	c.expect("package tensor, detail 0\r\n")
	c.send("nothing??\r")
	c.expect("Nothing is known of nothing.")
	c.send("slow\r")
	c.expect("(1.2 s · rocm:0 0.8 s)")
	c.send("\x04")
	c.end(0)
}

func TestConsoleKeys(t *testing.T) {
	c := start(t, 80, "")
	c.send("\x1b[3~abc\x1b[1~X\x1b[4~Y\x1b[1;5D\x1b[3~Z\r") // Delete, Home, End, word back, Delete
	c.expect(`Out[1]: "ZabcY"`)
	c.send("日本語\x1b[D\x1b[DX\r")
	c.expect(`Out[2]: "日X本語"`)
	c.send("Matx\x1b[D\t") // common prefix is there: the list
	c.expect("  MatMul  method  func (*Tensor) MatMul(b *Tensor) *Tensor\r")
	c.expect("  MatVec  method\r")
	c.send("V\t\r")
	c.expect(`Out[3]: "MatVecx"`)
	c.send("a {\x1b\rb}\r") // Alt-Enter
	c.expect(`Out[4]: "a {\n\tb}"`)
	c.send("exit 7\r")
	c.end(7)
}

func TestConsolePaste(t *testing.T) {
	thorough.Slow(t)
	for _, columns := range []int{80, 20, 7} {
		t.Run(fmt.Sprint(columns, " columns"), func(t *testing.T) {
			c := start(t, columns, "")
			c.send("\x1b[200~func g() {\r\n\treturn \"a\x07b\" // some more text\n}\n\x1b[201~")
			c.expect("}")
			c.send("\r")
			c.expect(`Out[1]: "func g() {\n\treturn \"ab\" // some more text\n}"`)
			c.send("quit\r")
			c.end(0)
		})
	}
}

func TestConsoleLongPaste(t *testing.T) {
	thorough.Slow(t)
	c := start(t, 80, "")
	c.send("print <")
	c.expect("print <")
	c.send("\x1b[200~" + strings.Repeat("all of this is one line\n", 2000) + "\x1b[201~")
	c.send("\x1b\r>\r")
	c.expect("<all of this is one line\r\n")
	c.expect("line\r\n>\r\n")
	c.expect("[2]: ")
	c.send("\x04")
	c.end(0)
}

func TestConsoleInterrupt(t *testing.T) {
	c := start(t, 80, "")
	c.send("wait\r")
	c.expect("waiting\r\n")
	c.send("\x03")
	c.expect("Interrupted: the cell was interrupted")
	c.send("stuck\r")
	c.expect("still stuck\r\n")
	for _, a := range []struct{ answer, reaction string }{
		{"n\r", "Waiting for the cell to end.\r\n"},
		{"y\r", "The session was restarted: its variables are gone."},
	} {
		c.send("\x03")
		c.expect("^C\r\nstill stuck\r\n")
		c.send("\x03")
		c.expect("Restart the session?")
		c.send(a.answer)
		c.expect(a.reaction)
	}
	c.expect("[1]: ")
	c.send("print again\r")
	c.expect("again\r\n")
	c.send("\x04")
	c.end(0)
}

// TestConsoleTypedAhead: what was typed while a cell ran stands in the next one when Ctrl-C has ended it, and does not
// run by itself.
func TestConsoleTypedAhead(t *testing.T) {
	thorough.Slow(t)
	c := start(t, 80, "")
	c.send("wait\r")
	c.expect("waiting\r\n")
	c.send("print one\rprint tww\x7fo\r\x1b[200~print three\n\x1b[201~")
	c.send("\x03")
	c.expect("Interrupted: the cell was interrupted")
	c.expect("[2]: print one")
	c.expect("...: print two")
	c.expect("...: print three")
	c.send("\r")
	c.expect("one\r\nprint two\r\nprint three\r\n") // what print says of a cell of three lines
	c.expect("[3]: ")
	c.send("stuck\r")
	c.expect("still stuck\r\n")
	c.send("y\r") // is not an answer to a question that has not been asked
	c.send("\x03")
	c.expect("^C\r\nstill stuck\r\n")
	c.send("\x03")
	c.expect("Restart the session?")
	c.send("y\r")
	c.expect("The session was restarted")
	c.expect("[1]: y")
	c.send("\x15print plain\r") // without Ctrl-C, cells run one after the other
	c.expect("plain\r\n")
	c.send("nap\rprint next\r")
	c.expect("next\r\n")
	c.expect("[4]: ")
	c.send("\x04")
	c.end(0)
}

func TestConsoleInput(t *testing.T) {
	c := start(t, 80, filepath.Join(t.TempDir(), "history"))
	c.send("ask name:\r")
	c.expect("and name: ")
	c.send("Ada\x7fa\r")
	c.expect(`Out[1]: typed "Ada"`)
	c.send("secret key:\r")
	c.expect("and key: ")
	c.send("hunter2\r")
	c.expect(`Out[2]: typed "hunter2"`)
	c.send("ask two\r")
	c.expect("and two ")
	c.send("\x1b[200~one\n2\n\x1b[201~") // each line answers
	c.expect(`Out[3]: typed "one and 2<nil>"`)
	c.send("ask end:\r")
	c.expect("and end: ")
	c.send("\x04")
	c.expect("InputError: EOF")
	c.send("ask stop:\r")
	c.expect("and stop: ")
	c.send("\x03")
	c.expect("InputError: context canceled")
	c.expect("[6]: ")
	c.send("\x1b[A\r") // what was typed into questions is not in the history
	c.expect("and stop: ")
	c.send("x\r")
	c.expect(`Out[6]: typed "x"`)
	c.mu.Lock()
	shown := c.seen.String()
	c.mu.Unlock()
	if strings.Contains(strings.ReplaceAll(shown, `typed "hunter2"`, ""), "hunter2") {
		t.Errorf("the password is shown: %q", shown)
	}
	c.send("\x04")
	c.end(0)
}

func TestConsoleBackground(t *testing.T) {
	c := start(t, 80, "")
	c.send("late\r")
	c.expect("[2]: ")
	c.send("speak\t")
	c.expect("late output\r\n\r\x1b[J\r\x1b[K[2]: ") // above the cell, which is drawn again
	c.expect("speak")
	c.send("\r")
	c.expect(`Out[2]: "speak"`)
	c.send("\x04")
	c.end(0)
}

func TestConsoleTerminate(t *testing.T) {
	c := start(t, 80, "")
	c.send("half a line")
	c.expect("half a line")
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.end(128 + int(syscall.SIGTERM))
}

// TestConsoleDeferred: what a cell defers is still shown after a signal that ends the process.
func TestConsoleDeferred(t *testing.T) {
	thorough.Slow(t)
	c := start(t, 80, "")
	c.send("defer\r")
	c.expect("waiting")
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.expect("deferred")
	c.end(128 + int(syscall.SIGTERM))
}

// TestConsoleKill: nothing in a process that is killed can restore the terminal, but another process can.
func TestConsoleKill(t *testing.T) {
	thorough.Slow(t)
	for _, tool := range []string{"sh", "stty"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	for _, c := range []struct {
		keys, shown string
		status      int
	}{{"half a line", "half a line", -1}, {"wait\r", "waiting", -1}, {"crash\r", "the front end crashes", 2}} {
		front := start(t, 80, "")
		if front.termios() == front.before {
			t.Fatal("the terminal is as it was before the front end began: this test would prove nothing")
		}
		front.send(c.keys)
		front.expect(c.shown)
		if c.status < 0 {
			if err := front.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		for deadline := time.Now().Add(patience); front.termios() != front.before && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		front.end(c.status)
	}
}

func TestConsoleHistory(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history")
	c := start(t, 80, history)
	c.send("func h() {\r")
	c.expect("...: ")
	c.send("y\r}\r")
	c.expect("Out[1]:")
	c.expect("[2]: ")
	c.send("print two\r")
	c.expect("[3]: ")
	c.send("\x04")
	c.end(0)
	c = start(t, 80, history)
	c.send("\x1b[A\x1b[A") // up twice: the whole cell
	c.expect("func h() {")
	c.expect("}")
	c.send("\r")
	c.expect(`Out[1]: "func h() {\n\ty\n}"`)
	c.send("\x12two\r\r") // Ctrl-R
	c.expect("two\r\n")
	c.send("\x04")
	c.end(0)
}
