package rocm

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

	"github.com/gorocm/gorocm/rocm/emulator"
)

// Disassembly returns the instructions that the kernel is compiled to for a device, one on a line. For a gfx1100 nothing else is needed; for
// other AMD GPUs it is what llvm-objdump writes, for NVIDIA GPUs what cuobjdump does, or the PTX that the driver translates. Where
// the program is missing, the error has the kind ErrUnsupported. Device nil is the one that Kernel.Device returns.
func (k *Kernel) Disassembly(d *Device) (string, error) {
	d, err := k.orDefault(d)
	if err != nil {
		return "", err
	}
	f, err := k.on(d)
	if err != nil {
		return "", err
	}
	object := f.module.object
	text, own := "", error(nil)
	switch {
	case d.info.Platform == CUDA && !bytes.HasPrefix(object, []byte("\x7fELF")):
		return strings.TrimRight(string(object), "\x00"), nil
	case d.info.Platform == CUDA:
		text, err := disassembled(object, []string{"cuobjdump", "/usr/local/cuda/bin/cuobjdump"}, "-sass", "-fun", k.name)
		return withoutEncodings(text), err
	}
	if text, own = emulator.Disassemble(object, k.name); own == nil {
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
	text, err = disassembled(object, names, "-d", "--no-show-raw-insn", "--no-leading-addr", "--disassemble-symbols="+k.name)
	if err != nil {
		return "", errors.Join(err, own)
	}
	return text, nil
}

// encoding is what cuobjdump writes beside each instruction and below it.
var encoding = regexp.MustCompile(`\s*/\* 0x[0-9a-f]+ \*/\s*$`)

// withoutEncodings leaves the instructions of what cuobjdump writes, without what fills up the end.
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

// disassembled runs the first of some programs that there is on a code object.
func disassembled(object []byte, programs []string, args ...string) (string, error) {
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
		out, err := exec.CommandContext(ctx, path, append(args, file.Name())...).Output()
		if err != nil {
			return "", &Error{Op: "disassemble", Text: fmt.Sprintf("%s: %v", name, err), Kind: ErrUnsupported}
		}
		return string(out), nil
	}
	return "", &Error{Op: "disassemble", Text: "no " + filepath.Base(programs[0]) + " on this machine", Detail: "tried " + strings.Join(programs, ", "), Kind: ErrUnsupported}
}
