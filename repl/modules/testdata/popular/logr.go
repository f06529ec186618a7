// %get github.com/go-logr/logr@v1.4.4

package main

import (
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

func main() {
	l := funcr.New(func(prefix, args string) { fmt.Println(prefix, args) }, funcr.Options{Verbosity: 1})
	l = l.WithName("app").WithValues("id", 7)
	l.Info("hello", "who", "world", "list", []int{1, 2})
	l.V(1).Info("verbose")
	l.V(2).Info("not shown")
	l.Error(errors.New("bad"), "failed", "at", struct{ X, Y int }{1, 2})
	fmt.Println(logr.Discard().Enabled(), l.V(2).Enabled())
}

// Output:
// app "level"=0 "msg"="hello" "id"=7 "who"="world" "list"=[1 2]
// app "level"=1 "msg"="verbose" "id"=7
// app "msg"="failed" "error"="bad" "id"=7 "at"={"X"=1 "Y"=2}
// false false
