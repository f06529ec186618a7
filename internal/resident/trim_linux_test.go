package resident

import (
	"reflect"
	"strings"
	"testing"
)

// A program as the system shows it: code, constants, what the linker makes read-only after relocation (a page of it is
// this process's own), data; and a library.
const shown = `00402000-018a4000 r-xp 00002000 fe:00 9986657                            /opt/go rocm/bin/gorocm
Size:              21128 kB
Rss:               14112 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
018a4000-02e64000 r--p 014a4000 fe:00 9986657                            /opt/go rocm/bin/gorocm
Rss:               13772 kB
Anonymous:             0 kB
02e64000-02e65000 r--p 02a64000 fe:00 9986657                            /opt/go rocm/bin/gorocm
Anonymous:             4 kB
02e65000-035b7000 rw-p 02a65000 fe:00 9986657                            /opt/go rocm/bin/gorocm
Anonymous:             0 kB
c000000000-c000800000 rw-p 00000000 00:00 0
Anonymous:          4096 kB
7f0000000000-7f0000100000 r-xp 00000000 fe:00 12                         /usr/lib/libc.so.6
Anonymous:             0 kB
`

func TestConstants(t *testing.T) {
	want := []mapping{{0x402000, 0x18a4000 - 0x402000}, {0x18a4000, 0x2e64000 - 0x18a4000}}
	if got := constants(strings.NewReader(shown), "/opt/go rocm/bin/gorocm"); !reflect.DeepEqual(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if got := constants(strings.NewReader(strings.ReplaceAll(shown, "gorocm\n", "gorocm (deleted)\n")),
		"/opt/go rocm/bin/gorocm (deleted)"); !reflect.DeepEqual(got, want) {
		t.Errorf("deleted: %x, want %x", got, want)
	}
	if got := constants(strings.NewReader("\n-\n1-2\nx-y r-xp 0 0 0 /bin/p\nAnonymous: 0 kB\nAnonymous: kB\n"),
		"/bin/p"); got != nil {
		t.Errorf("%x from what is no list of mappings", got)
	}
}

// TestTrim: what was dropped is there when it is asked for.
func TestTrim(t *testing.T) {
	for range 3 {
		Trim()
		if !strings.Contains(shown, "libc.so.6") || len(strings.Fields(shown)) < 40 {
			t.Fatal("a constant is not what it was")
		}
	}
}
