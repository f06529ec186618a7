// %get github.com/robfig/cron/v3@v3.0.1

package main

import (
	"fmt"
	"github.com/robfig/cron/v3"
	"time"
)

func main() {
	s, err := cron.ParseStandard("30 4 * * 1-5")
	fmt.Println(s.Next(time.Date(2026, 1, 2, 5, 0, 0, 0, time.UTC)), err)
	_, err = cron.ParseStandard("99 * * * *")
	fmt.Println(err)
}

// Output:
// 2026-01-05 04:30:00 +0000 UTC <nil>
// end of range (99) above maximum (59): 99
