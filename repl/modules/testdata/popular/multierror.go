// %get github.com/hashicorp/go-multierror@v1.1.1

package main

import (
	"errors"
	"fmt"
	"github.com/hashicorp/go-multierror"
	"io"
)

func main() {
	var err error
	err = multierror.Append(err, io.EOF, errors.New("other"))
	fmt.Println(err, errors.Is(err, io.EOF))
}

// Output:
// 2 errors occurred:
// 	* EOF
// 	* other
//
//  true
