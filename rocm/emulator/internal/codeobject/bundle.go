package codeobject

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"
)

// BundleMagic begins a clang offload bundle.
const BundleMagic = "__CLANG_OFFLOAD_BUNDLE__"

// Unbundle returns the code object of a bundle for an architecture, or object itself when it is no bundle. For no
// architecture it is the only one that the bundle has.
func Unbundle(object []byte, arch string) ([]byte, error) {
	if !bytes.HasPrefix(object, []byte(BundleMagic)) {
		return object, nil
	}
	b := object[len(BundleMagic):]
	if len(b) < 8 {
		return nil, damaged("truncated offload bundle")
	}
	count := binary.LittleEndian.Uint64(b)
	b = b[8:]
	var targets []string
	var last []byte
	for range min(count, 1024) {
		if len(b) < 24 {
			return nil, damaged("truncated offload bundle")
		}
		offset, size, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
			binary.LittleEndian.Uint64(b[16:])
		b = b[24:]
		if n > uint64(len(b)) || offset > uint64(len(object)) || size > uint64(len(object))-offset {
			return nil, damaged("truncated offload bundle")
		}
		target := string(b[:n])
		b = b[n:]
		if bytes.Contains([]byte(target), []byte("amdgcn-amd-amdhsa")) {
			targets, last = append(targets, target), object[offset:offset+size]
			if arch != "" && strings.Contains(target, arch) {
				return last, nil
			}
		}
	}
	if arch == "" && len(targets) == 1 {
		return last, nil
	}
	return nil, otherGPU("the offload bundle has no code object for %s; it has %q",
		cmp.Or(arch, "one GPU alone"), targets)
}
