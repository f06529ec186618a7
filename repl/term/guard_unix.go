//go:build unix

package term

import (
	"bufio"
	"io"
	"os"
	"os/exec"
)

// guard is a small shell that restores the terminal when this process is killed in a way that it cannot notice.
type guard struct {
	end io.WriteCloser
	cmd *exec.Cmd
}

// guardScript waits for the end of its input. Unless a word comes first, the front end is gone: if the terminal still
// has a mode of ours, it gets back the one that it had. Signals of the terminal are not for the guard.
const guardScript = `trap '' INT QUIT TSTP TTOU TTIN HUP TERM
found=$(stty -g <&3) || exit
echo ready
read -r word && exit
case $(stty -a <&3) in *"eol2 = ^_;"*) stty "$found" <&3; printf '\033[?2004l\033[?25h\r\n' >&3;; esac`

// startGuard returns nil where there is no shell or no stty. It waits until the guard knows the terminal's state.
func startGuard(terminal *os.File) *guard {
	if _, err := exec.LookPath("stty"); err != nil {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-c", guardScript)
	cmd.ExtraFiles = []*os.File{terminal}
	end, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	said, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	_, _ = bufio.NewReader(said).ReadString('\n')
	return &guard{end, cmd}
}

// dismiss ends the guard.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.end, "done\n")
	_ = g.end.Close()
	_ = g.cmd.Wait()
}
