// Package processes starts programs that can be ended together with all that they start themselves: in a process group
// on Unix, in a job object on Windows.
package processes

import "os/exec"

// OwnVariable is the environment variable of programs that gorocm starts for itself, and of all that these start: of a
// compiler, for example. Programs that cells start do not have it.
const OwnVariable = "GOROCM_OWN"

// Own marks a command that is not started yet as one of gorocm's own, which %jobs does not list, and returns it. It
// adds to cmd.Env: what else that is to have is set before.
func Own(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(cmd.Environ(), OwnVariable+"=1")
	return cmd
}
