package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
)

// Constants are vectors of 32 bytes in the program's data, where Go aligns nothing by more: a constant of 64 bytes may
// lie in two lines of the cache, depending on what else there is, and then takes twice as long to read. So AVX-512
// reads one element of them, and repeats it.
var (
	constantOperand = regexp.MustCompile(`(?m)^\t(V[A-Z0-9]+)( +)(.*\ball_([0-9a-f]+)<>\+0\(SB\).*\bZ\d+.*)$`)
	loads           = regexp.MustCompile(`^VMOVUP[SD]$`)
	ofElements      = regexp.MustCompile(`(PS|PD|D|Q)$`)
)

// broadcast rewrites the instructions of a file that avo wrote.
func broadcast(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = constantOperand.ReplaceAllFunc(text, func(line []byte) []byte {
		m := constantOperand.FindSubmatch(line)
		op, size := string(m[1]), len(m[4])/2 // two digits a byte
		if loads.MatchString(op) {
			op = map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[size]
		} else {
			if of := ofElements.FindString(op); size != map[string]int{"PS": 4, "D": 4, "PD": 8, "Q": 8}[of] {
				err = fmt.Errorf("%s: a constant of %d bytes in %q", path, size, line)
			}
			op += ".BCST"
		}
		return fmt.Appendf(nil, "\t%s%s%s", op, m[2], m[3])
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(bytes.TrimSpace(text), '\n'), 0o644)
}
