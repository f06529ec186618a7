//go:build linux || windows

package enter

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

// TestMap puts so much code into memory that several regions are opened: each piece is at its own line of the cache, what
// has been written before does not change, and small pieces share pages.
func TestMap(t *testing.T) {
	type piece struct {
		at   uintptr
		code []byte
	}
	var pieces []piece
	pages := map[uintptr]bool{}
	for i := range 3000 {
		n := 1 + i%700
		if i%1000 == 999 {
			n = regionBytes/4 + 1 // with pages of its own
		}
		code := bytes.Repeat([]byte(fmt.Sprintf("%04d", i)), n/4+1)[:n]
		at, err := Map(code)
		if err != nil {
			t.Fatal(err)
		}
		if at%codeAlign != 0 {
			t.Fatalf("piece %d is at %#x", i, at)
		}
		pieces = append(pieces, piece{at, code})
		pages[at/4096] = true
	}
	for i, p := range pieces {
		// The collector does not know this memory, which never goes away.
		if got := unsafe.Slice(*(**byte)(unsafe.Pointer(&p.at)), len(p.code)); !bytes.Equal(got, p.code) {
			t.Fatalf("piece %d has changed", i)
		}
	}
	if len(pages) > len(pieces)/5 {
		t.Errorf("%d pieces begin in %d pages", len(pieces), len(pages))
	}
}
