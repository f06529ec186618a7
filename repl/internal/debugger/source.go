package debugger

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
)

// hashSeed is the one of ipykernel.
const hashSeed = 0xc70f6907

// suffix ends the paths of cells.
const suffix = ".go"

// prefix begins the paths of cells.
func prefix() string { return filepath.Join(os.TempDir(), fmt.Sprintf("gorocm_%d", os.Getpid())) + "/" }

// Path is what clients call the source of a cell.
func Path(code string) string {
	return prefix() + strconv.FormatUint(uint64(murmur2([]byte(code), hashSeed)), 10) + suffix
}

// murmur2 is MurmurHash2 by Austin Appleby, for little-endian machines of 32 bits.
func murmur2(data []byte, seed uint32) uint32 {
	const m, r = 0x5bd1e995, 24
	h := seed ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k = (k ^ k>>r) * m
		h = h*m ^ k
	}
	for i := len(data) - 1; i >= 0; i-- {
		h ^= bits.RotateLeft32(uint32(data[i]), 8*i)
	}
	if len(data) > 0 {
		h *= m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}
