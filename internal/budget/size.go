package budget

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SizeText spells a number of bytes.
func SizeText(n uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1<<10 {
		return strconv.FormatUint(n, 10) + " bytes"
	}
	f, i := float64(n)/(1<<10), 0
	for ; f >= 1024 && i < len(units)-1; i++ {
		f /= 1024
	}
	return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) + " " + units[i]
}

// ParseSize reads what SizeText writes, and plain bytes: 4GiB, 4 GB, 512M, 1073741824. Units are powers of 1024.
func ParseSize(s string) (uint64, error) {
	num := strings.TrimSpace(s)
	at := strings.IndexFunc(num, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	unit := ""
	if at >= 0 {
		num, unit = num[:at], strings.ToUpper(strings.TrimSpace(num[at:]))
	}
	shift := 0
	if unit != "" && unit != "B" && unit != "BYTES" {
		i := strings.IndexByte("KMGTPE", unit[0])
		if i < 0 || unit[1:] != "" && unit[1:] != "B" && unit[1:] != "IB" {
			return 0, fmt.Errorf("%q is not a size: write a number of bytes, or one such as 512MiB or 4GiB", s)
		}
		shift = 10 * (i + 1)
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || f <= 0 || math.Ldexp(f, shift) >= 1<<63 {
		return 0, fmt.Errorf("%q is not a size: write a number of bytes, or one such as 512MiB or 4GiB", s)
	}
	return uint64(math.Ldexp(f, shift)), nil
}
