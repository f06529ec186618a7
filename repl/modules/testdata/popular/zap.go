// %get go.uber.org/zap@v1.28.0

package main

import (
	"bytes"
	"fmt"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func main() {
	var b bytes.Buffer
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg", LevelKey: "level",
		EncodeLevel: zapcore.LowercaseLevelEncoder})
	l := zap.New(zapcore.NewCore(encoder, zapcore.AddSync(&b), zap.InfoLevel))
	l.Info("hi", zap.Int("n", 3))
	l.Sugar().Infow("x", "k", 1)
	l.Debug("not shown")
	fmt.Print(b.String())
}

// Output:
// {"level":"info","msg":"hi","n":3}
// {"level":"info","msg":"x","k":1}
