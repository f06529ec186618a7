package resident

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Trim takes the program's own code and constants out of the memory that counts as this process's. Starting touches
// most of them once, and the system maps what lies around each page that is touched; what is needed again is mapped
// again from the page cache, 64 KiB in about a microsecond. Mappings that hold pages of this process alone, as a
// debugger's breakpoints, are left.
func Trim() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer file.Close()
	for _, m := range constants(file, program) {
		// unix.Madvise takes a slice, and none may be made of what is not the collector's.
		unix.Syscall(unix.SYS_MADVISE, m.start, m.size, unix.MADV_DONTNEED)
	}
}

type mapping struct{ start, size uintptr }

// constants returns the mappings of program that nobody can write to and that hold the file's pages only, from a text
// like /proc/self/smaps: for each mapping a line as "00402000-018a4000 r-xp 00002000 fe:00 9986657 /bin/gorocm", and
// lines as "Anonymous: 4 kB".
func constants(smaps io.Reader, program string) []mapping {
	var found []mapping
	var candidate mapping
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && strings.HasSuffix(fields[0], ":") {
			if fields[0] == "Anonymous:" && fields[1] == "0" && candidate.size > 0 {
				found = append(found, candidate)
			}
			continue
		}
		if len(fields) < 5 || strings.HasSuffix(fields[0], ":") {
			continue
		}
		candidate = mapping{}
		low, high, _ := strings.Cut(fields[0], "-")
		start, err := strconv.ParseUint(low, 16, 64)
		end, err2 := strconv.ParseUint(high, 16, 64)
		if constant := fields[1] == "r--p" || fields[1] == "r-xp"; constant && err == nil && err2 == nil &&
			strings.HasSuffix(lines.Text(), " "+program) {
			candidate = mapping{uintptr(start), uintptr(end - start)}
		}
	}
	return found
}
