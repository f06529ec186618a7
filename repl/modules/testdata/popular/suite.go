// %get github.com/stretchr/testify@v1.12.1

package main

import (
	"fmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type log struct{ failed bool }

func (l *log) Errorf(format string, args ...any) { fmt.Println("failed") }
func (l *log) FailNow()                          { l.failed = true }

func main() {
	l := &log{}
	fmt.Println(assert.Equal(l, []int{1, 2}, []int{1, 2}), assert.Contains(l, "abc", "x"))
	require.NoError(l, fmt.Errorf("an error"))
	fmt.Println(l.failed, assert.ObjectsAreEqual(map[string]int{"a": 1}, map[string]int{"a": 1}))
}

// Output:
// failed
// true false
// failed
// true true
