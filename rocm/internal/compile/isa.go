package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gorocm/gorocm/internal/processes"
	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Disassemble returns the instructions of a kernel in a code object, one on a line. See rocm.Kernel.Disassembly.
func Disassemble(platform driver.Platform, object []byte, kernel string) (string, error) {
	switch {
	case platform == driver.CUDA && !bytes.HasPrefix(object, []byte("\x7fELF")):
		return strings.TrimRight(string(object), "\x00"), nil
	case platform == driver.CUDA:
		text, err := runDisassembler(object, []string{"cuobjdump", "/usr/local/cuda/bin/cuobjdump"}, "-sass", "-fun",
			kernel)
		return withoutEncodings(text), err
	}
	text, own := emulator.Disassemble(object, kernel)
	if own == nil {
		return text, nil
	}
	names := []string{"llvm-objdump"}
	for _, home := range []string{os.Getenv("ROCM_PATH"), "/opt/rocm"} {
		if home != "" {
			names = append(names, filepath.Join(home, "llvm/bin/llvm-objdump"))
		}
	}
	for v := 22; v >= minClang; v-- {
		names = append(names, fmt.Sprintf("llvm-objdump-%d", v))
	}
	text, err := runDisassembler(object, names, "-d", "--no-show-raw-insn", "--no-leading-addr",
		"--disassemble-symbols="+kernel)
	if err != nil {
		return "", errors.Join(err, own)
	}
	return text, nil
}

// encoding matches the encodings that cuobjdump writes beside each instruction and below it.
var encoding = regexp.MustCompile(`\s*/\* 0x[0-9a-f]+ \*/\s*$`)

// withoutEncodings removes encodings and the padding at the end from what cuobjdump writes.
func withoutEncodings(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = encoding.ReplaceAllString(strings.TrimRight(line, "\n"), "")
		if strings.Contains(line, "/*") {
			lines = append(lines, line)
		}
	}
	for n := len(lines); n > 0 && strings.HasSuffix(lines[n-1], "NOP;"); n-- {
		lines = lines[:n-1]
	}
	return strings.Join(lines, "\n") + "\n"
}

// runDisassembler runs the first of the programs that is installed on a code object.
func runDisassembler(object []byte, programs []string, args ...string) (string, error) {
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		file, err := os.CreateTemp("", "gorocm-*.o")
		if err != nil {
			return "", fmt.Errorf("rocm: disassemble: %w", err)
		}
		defer os.Remove(file.Name())
		_, err = file.Write(object)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", fmt.Errorf("rocm: disassemble: %w", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		out, err := processes.Own(exec.CommandContext(ctx, path, append(args, file.Name())...)).Output()
		if err != nil {
			return "", &driver.Error{Op: "disassemble", Text: fmt.Sprintf("%s: %v", name, err),
				Kind: driver.ErrUnsupported}
		}
		return string(out), nil
	}
	return "", &driver.Error{Op: "disassemble", Text: "no " + filepath.Base(programs[0]) + " on this machine",
		Detail: "tried " + strings.Join(programs, ", "), Kind: driver.ErrUnsupported}
}
