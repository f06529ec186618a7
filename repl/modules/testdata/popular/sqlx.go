// %get github.com/jmoiron/sqlx@v1.4.0

package main

import (
	"fmt"
	"github.com/jmoiron/sqlx"
)

func main() {
	q, args, err := sqlx.In("select * from t where id in (?)", []int{1, 2})
	fmt.Println(q, args, err)
	fmt.Println(sqlx.Named("a = :a and b = :b", map[string]any{"a": 1, "b": "x"}))
}

// Output:
// select * from t where id in (?, ?) [1 2] <nil>
// a = ? and b = ? [1 x] <nil>
