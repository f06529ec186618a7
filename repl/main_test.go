package repl

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has the collector run less often than a worker, which leaves a fifth more of the time to the tests: each of
// hundreds of sessions begins with some 50 MB of symbols. Tests of memory collect by themselves.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
