// %get github.com/pkg/errors@v0.9.1

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/pkg/errors"
)

type notFound struct{ name string }

func (e *notFound) Error() string { return e.name + " not found" }

func main() {
	err := errors.Wrap(io.EOF, "read header")
	fmt.Println(err, errors.Cause(err) == io.EOF, errors.Is(err, io.EOF))
	err = errors.WithMessagef(errors.WithStack(&notFound{"file"}), "step %d", 3)
	fmt.Println(err)
	var nf *notFound
	found := errors.As(err, &nf)
	fmt.Println(found, nf.name, errors.Unwrap(err) != nil)
	fmt.Printf("%s|%q|%v\n", err, err, errors.Errorf("code %d", 7))
	long := fmt.Sprintf("%+v", errors.New("deep"))
	fmt.Println(strings.HasPrefix(long, "deep\n"), errors.Wrap(nil, "nothing") == nil)
	type tracer interface{ StackTrace() errors.StackTrace }
	t, ok := errors.New("x").(tracer)
	fmt.Println(ok, len(t.StackTrace()) > 0)
}

// Output:
// read header: EOF true true
// step 3: file not found
// true file true
// step 3: file not found|step 3: file not found|code 7
// true true
// true true
