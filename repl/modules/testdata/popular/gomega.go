// %get github.com/onsi/gomega@v1.44.0

package main

import (
	"errors"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"
)

func main() {
	failures := 0
	g := NewGomega(func(message string, _ ...int) {
		failures++
		fmt.Println(strings.ReplaceAll(message, "\n", " "))
	})
	g.Expect([]int{1, 2, 3}).To(ContainElement(2))
	g.Expect(map[string]int{"a": 1}).To(HaveKeyWithValue("a", 1))
	g.Expect(errors.New("no")).To(MatchError("no"))
	g.Expect(2 + 2).To(Equal(5))
	g.Expect("gorocm").NotTo(HavePrefix("go"))
	g.Eventually(func() int { failures += 0; return 3 }).Should(BeNumerically(">", 2))
	fmt.Println(failures)
}

// Output:
// Expected     <int>: 4 to equal     <int>: 5
// Expected     <string>: gorocm not to have prefix     <string>: go
// 2
