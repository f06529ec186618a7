//go:build unix

package programs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// keeperVariable makes a process the keeper of a session. It has the session's name, the number of the session of
// processes that its programs belong to, and the number of the process that runs the cells.
const keeperVariable = "GOROCM_KEEPER"

// keeper ends the programs of a process that is gone.
type keeper struct{ in io.Writer }

// startKeeper runs this process's command line once more, as a keeper: see Keep. Without one the programs are not ended
// when this process is killed.
func startKeeper(session string) *keeper {
	command, err := os.ReadFile("/proc/self/cmdline")
	if err != nil {
		return &keeper{io.Discard}
	}
	args := strings.Split(strings.TrimSuffix(string(command), "\x00"), "\x00")
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = args
	cmd.Env = append(without(os.Environ()), fmt.Sprintf("%s=%s.%d.%d", keeperVariable, session, sessionOf(os.Getpid()),
		os.Getpid()))
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // signals of the terminal are not for it
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return &keeper{io.Discard}
	}
	go cmd.Wait()
	return &keeper{in}
}

// free tells the keeper of a program that is to live on.
func (k *keeper) free(number int) {
	if k != nil {
		fmt.Fprintln(k.in, number)
	}
}

// Keep is the keeper's work, in a process that was started for that; in any other it returns false at once. It waits
// until the process that has started it is gone, and ends that one's programs.
func Keep() bool {
	names := strings.Split(os.Getenv(keeperVariable), ".")
	if len(names) != 3 {
		return false
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	leader, _ := strconv.Atoi(names[1])
	parent, _ := strconv.Atoi(names[2])
	freed := readFreed(os.Stdin)
	if orphaned(parent) {
		end(syscall.SIGTERM, 4*poll, func() []process {
			return find(names[0], leader, func(n int) bool { return n >= 0 && !freed[n] })
		})
	}
	return true
}

// readFreed reads the numbers of programs that are to live on, until nothing more can come.
func readFreed(in io.Reader) map[int]bool {
	freed := map[int]bool{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			freed[n] = true
		}
	}
	return freed
}

// orphaned waits until the parent is gone. One that lives on after all has closed its end of the pipe, as a cell can
// that closes descriptors.
func orphaned(parent int) bool {
	for start := time.Now(); time.Since(start) < giveUp; time.Sleep(poll) {
		if os.Getppid() != parent {
			return true
		}
	}
	return false
}
