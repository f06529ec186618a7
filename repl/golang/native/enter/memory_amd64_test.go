//go:build linux || windows

package enter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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

// TestFree puts code of random lengths into memory and frees it in a random order: no two pieces that are in use have a
// byte in common, what is in use does not change, what is free ends a process that runs it, and memory is used again.
func TestFree(t *testing.T) {
	if !canRefetch() {
		t.Skip("processors cannot be told that code has changed")
	}
	type piece struct {
		Memory
		text byte
	}
	bytesOf := func(m Memory) []byte {
		return unsafe.Slice(*(**byte)(unsafe.Pointer(&m.At)), m.Size)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var pieces []piece
	regions := 0
	for i := range 20000 {
		if i == 2000 {
			regions = len(code.regions)
		}
		if len(pieces) > 500 || len(pieces) > 0 && r.IntN(3) == 0 {
			var gone []Memory
			for range min(len(pieces), 1+r.IntN(4)) {
				k := r.IntN(len(pieces))
				p := pieces[k]
				if !bytes.Equal(bytesOf(p.Memory), bytes.Repeat([]byte{p.text}, p.Size)) {
					t.Fatalf("a piece at %#x has changed", p.At)
				}
				gone = append(gone, p.Memory)
				pieces[k] = pieces[len(pieces)-1]
				pieces = pieces[:len(pieces)-1]
			}
			Free(gone)
			for _, m := range gone {
				if bytesOf(m)[m.Size-1] != trap {
					t.Fatal("memory that is free has code")
				}
			}
			continue
		}
		p := piece{Memory{Size: 1 + r.IntN(3000)}, byte(i % 199)}
		at, err := Map(bytes.Repeat([]byte{p.text}, p.Size))
		if err != nil {
			t.Fatal(err)
		}
		p.At = at
		pieces = append(pieces, p)
	}
	if n := len(code.regions); n > regions+1 {
		t.Errorf("there are %d regions, after %d", n, regions)
	}
}
