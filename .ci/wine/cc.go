//go:build ignore

// cc.exe is a C compiler for tests that run under Wine and compile stand-ins for libraries: Debian's mingw, which is a
// program of Linux. Wine starts such programs and cannot wait for them, so this one waits for a file.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	done := filepath.Join(os.TempDir(), fmt.Sprint("cc", os.Getpid(), ".", time.Now().UnixNano()))
	args := []string{unix(done)}
	for _, a := range os.Args[1:] {
		args = append(args, unix(a))
	}
	if err := exec.Command(filepath.Join(filepath.Dir(self), "mingw.exe"), args...).Start(); err != nil {
		panic(err)
	}
	for {
		if text, err := os.ReadFile(done); err == nil {
			_ = os.Remove(done)
			status, output, _ := strings.Cut(string(text), "\n")
			fmt.Fprint(os.Stderr, output)
			n, err := strconv.Atoi(status)
			if err != nil {
				n = 1
			}
			os.Exit(n)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// unix is an argument, or the path of a file as Linux has it.
func unix(arg string) string {
	for drive, folder := range map[string]string{`Z:`: "", `C:`: os.Getenv("WINE_DRIVE_C")} {
		flag, path, ok := strings.Cut(arg, drive)
		if ok && strings.HasPrefix(path, `\`) && (flag == "" || strings.HasPrefix(flag, "-")) {
			return flag + folder + strings.ReplaceAll(path, `\`, "/")
		}
	}
	if _, err := os.Stat(arg); err == nil {
		return strings.ReplaceAll(arg, `\`, "/")
	}
	return arg
}
