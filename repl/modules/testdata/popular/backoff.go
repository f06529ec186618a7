// %get github.com/cenkalti/backoff/v4@v4.3.0

package main

import (
	"errors"
	"fmt"
	"github.com/cenkalti/backoff/v4"
	"time"
)

func main() {
	n := 0
	err := backoff.Retry(func() error {
		if n++; n < 3 {
			return errors.New("not yet")
		}
		return nil
	}, backoff.WithMaxRetries(backoff.NewConstantBackOff(time.Millisecond), 5))
	fmt.Println(n, err)
}

// Output:
// 3 <nil>
