// %get k8s.io/apimachinery@v0.37.2

package main

import (
	"fmt"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
)

func main() {
	q := resource.MustParse("1.5Gi")
	fmt.Println(q.Value(), q.String())
	s, err := labels.Parse("app in (a, b), tier!=x")
	fmt.Println(s.Matches(labels.Set{"app": "a"}), s.Matches(labels.Set{"app": "c"}), err)
}

// Output:
// 1610612736 1536Mi
// true false <nil>
