// %get github.com/dustin/go-humanize@v1.1.0

package main

import (
	"fmt"
	"github.com/dustin/go-humanize"
	"time"
)

func main() {
	fmt.Println(humanize.Bytes(82854982), humanize.Comma(1234567), humanize.Ordinal(3), humanize.RelTime(time.Unix(0, 0), time.Unix(7200, 0), "ago", "from now"))
}

// Output:
// 83 MB 1,234,567 3rd 2 hours ago
