package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/pty"
	"github.com/gorocm/gorocm/internal/thorough"
)

// TestShells types half of a command in a shell that has loaded its completion script, and looks whether the whole one
// has run.
func TestShells(t *testing.T) {
	thorough.Slow(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const prompt = "ready> "
	for _, shell := range []struct{ name, args, file, setup string }{
		{"bash", "--rcfile .bashrc -i", ".bashrc",
			"source /usr/share/bash-completion/bash_completion\nsource <(gorocm completion bash)\nPS1='" + prompt +
				"'\n"},
		{"zsh", "-i", ".zshrc", "autoload -U compinit; compinit -u\nsource <(gorocm completion zsh)\nPS1='" + prompt +
			"'\n"},
		{"fish", "-i", ".config/fish/config.fish",
			"set fish_greeting\ngorocm completion fish | source\nfunction fish_prompt; echo -n '" + prompt +
				"'; end\n"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := exec.LookPath(shell.name); err != nil {
				t.Skip("no " + shell.name + " on this machine")
			}
			if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); shell.name == "bash" && err != nil {
				t.Skip("no bash-completion on this machine")
			}
			master, slave, err := pty.Open(100, 24)
			if err != nil {
				t.Skip(err)
			}
			defer master.Close()
			home := t.TempDir()
			config := filepath.Join(home, ".config")
			// Without the last one fish reads all manual pages, in processes that keep the terminal open.
			for _, folder := range []string{filepath.Join(home, "bin"), filepath.Join(config, "fish"),
				filepath.Join(home, "fish", "generated_completions")} {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(self, filepath.Join(home, "bin", "gorocm")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, shell.file), []byte(shell.setup), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), shell.name, strings.Fields(shell.args)...)
			cmd.Dir = home
			cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "HOME="+home, "ZDOTDIR="+home,
				"XDG_CONFIG_HOME="+config, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home,
				"GOROCM_CONFIG=", "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"), "TERM=xterm",
				"LC_ALL=C.UTF-8")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			slave.Close()
			deadline := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			defer deadline.Stop()
			var shown []byte
			buf := make([]byte, 4096)
			typed := false
			for {
				n, err := master.Read(buf)
				shown = append(shown, buf[:n]...)
				if err != nil { // the shell has left
					break
				}
				if !typed && bytes.Contains(shown, []byte(prompt)) {
					_, _ = master.WriteString("gorocm conf\tset hin\tfal\t\rexit\r")
					typed = true
				}
			}
			_ = cmd.Wait() // the status is that of the last command
			set, _ := os.ReadFile(filepath.Join(config, "gorocm", "config.toml"))
			if strings.TrimSpace(string(set)) != "hints = false" {
				t.Errorf("the configuration is %q, want hints = false; the terminal shows %q", set, shown)
			}
		})
	}
}
