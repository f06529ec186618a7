// %get github.com/rs/zerolog@v1.34.0

package main

import (
	"github.com/rs/zerolog"
	"os"
)

func main() {
	l := zerolog.New(os.Stdout)
	l.Info().Int("n", 3).Strs("s", []string{"a", "b"}).Msg("hi")
}

// Output:
// {"level":"info","n":3,"s":["a","b"],"message":"hi"}
