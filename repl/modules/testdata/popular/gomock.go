// %get go.uber.org/mock@v0.6.0

package main

import (
	"fmt"
	"go.uber.org/mock/gomock"
)

func main() {
	fmt.Println(gomock.Eq(3).Matches(3), gomock.Len(2).Matches([]int{1}), gomock.All(gomock.Not(nil), gomock.AnyOf("a", "b")).Matches("b"), gomock.Eq(3))
}

// Output:
// true false true is equal to 3 (int)
