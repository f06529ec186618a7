// %get go.uber.org/zap@v1.28.0

package main

import (
	"go.uber.org/zap"
)

func main() {
	l := zap.NewExample()
	l.Info("hi", zap.Int("n", 3))
	l.Sugar().Infow("x", "k", 1)
}

// Output:
// {"level":"info","msg":"hi","n":3}
// {"level":"info","msg":"x","k":1}
