// %get golang.org/x/time@v0.16.0

package main

import (
	"fmt"
	"golang.org/x/time/rate"
	"time"
)

func main() {
	l := rate.NewLimiter(rate.Every(time.Hour), 2)
	fmt.Println(l.Allow(), l.Allow(), l.Allow(), l.Burst())
}

// Output:
// true true false 2
