// %get github.com/rs/zerolog@v1.34.0

package main

import (
	"bytes"
	"fmt"

	"github.com/rs/zerolog"
)

func main() {
	var b bytes.Buffer
	l := zerolog.New(&b)
	l.Info().Int("n", 3).Strs("s", []string{"a", "b"}).Msg("hi")
	fmt.Print(b.String())
}

// Output:
// {"level":"info","n":3,"s":["a","b"],"message":"hi"}
