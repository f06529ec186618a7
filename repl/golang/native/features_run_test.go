package native

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestFeatures compares the functions of features_test.go and its neighbour, as compiled here, with generated code.
func TestFeatures(t *testing.T) {
	var src strings.Builder
	for _, file := range []string{"features_test.go", "features_literals_test.go", "features_complex_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		part, _, _ := strings.Cut(strings.Replace(string(text), "package native", "", 1), "var features =")
		part, _, _ = strings.Cut(part, "func init()")
		if src.Len() > 0 {
			part = strings.Replace(part, "import \"math\"", "", 1)
		}
		src.WriteString(part)
	}
	r := compileAll(t, src.String())
	for _, name := range slices.Sorted(maps.Keys(features)) {
		f := reflect.ValueOf(features[name])
		o := r[name]
		if o.Reason != nil {
			t.Errorf("%s: %v", name, o.Reason)
			continue
		}
		for _, n := range []int{0, 1, 2, 3, 5, 8, 13, 40, 100} {
			got := make([]reflect.Value, f.Type().NumOut())
			var results []unsafe.Pointer
			for i := range got {
				p := reflect.New(f.Type().Out(i))
				got[i] = p.Elem()
				results = append(results, p.UnsafePointer())
			}
			g, w := outcome(func() string {
				o.Proc.Code().Run(testHost(), 0, []unsafe.Pointer{unsafe.Pointer(&n)}, results)
				return text2(got)
			}), outcome(func() string { return text2(f.Call([]reflect.Value{reflect.ValueOf(n)})) })
			if g != w {
				t.Errorf("%s(%d) is %s, not %s", name, n, g, w)
			}
		}
	}
}

// outcome is what f returns, or panics with.
func outcome(f func() string) (s string) {
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprint("panic: ", v)
		}
	}()
	return f()
}

func text2(list []reflect.Value) (s string) {
	for _, v := range list {
		s += fmt.Sprint(v.Interface(), " ")
	}
	return s
}
