package repl

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// useUTF8 makes a shell and its programs write UTF-8, which the session shows, rather than the console's old code page.
const useUTF8 = "chcp 65001 >nul 2>nul"

// shellCommand runs a script in cmd.exe, or in what COMSPEC names. One of several lines is a batch file, which cmd.exe
// does not take from its command line. cleanUp is called when it has ended.
func shellCommand(ctx context.Context, script string) (cmd *exec.Cmd, cleanUp func(), err error) {
	shell := cmp.Or(os.Getenv("COMSPEC"), "cmd.exe")
	cmd = exec.CommandContext(ctx, shell)
	if !strings.Contains(script, "\n") { // exec's quoting is not cmd.exe's
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + useUTF8 + " & " + script + `"`}
		return cmd, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "gorocm-")
	if err != nil {
		return nil, nil, err
	}
	cleanUp = func() { _ = os.RemoveAll(folder) }
	file := filepath.Join(folder, "cell.bat")
	text := "@echo off\r\n" + useUTF8 + "\r\n" + strings.ReplaceAll(script, "\n", "\r\n") + "\r\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		cleanUp()
		return nil, nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c ""` + file + `""`}
	return cmd, cleanUp, nil
}
