package compile

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseInstance(t *testing.T) {
	for text, want := range map[string]string{
		"f<float>": "f<float> f_float", "saxpy< float,4 >": "saxpy<float, 4> saxpy_float_4",
		"f<const float *, -1, Pair<int, 2>>": "f<const float *, -1, Pair<int, 2>> f_const_float_ptr_minus_1_Pair_int_2_",
		"f":                                  "", "f<>": "", "f<": "", "": "", "<float>": "", "f(1)": "",
	} {
		got := ""
		if in, ok := ParseInstance(text); ok {
			got = in.String() + " " + in.Symbol()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestInstances: explicit instantiations are found, and nothing else; the rest stays where it is.
func TestInstances(t *testing.T) {
	source := "template <class T> __global__ void f(T *x) {}\ntemplate __global__ void f<float>(float *x);\n" +
		"template\n__global__ void f<Pair<int, 2>>(Pair<int, 2> *);\ntemplate int g<int>(int);\ntemplate struct S<int>;\nint y;"
	list, rest := Instances(source)
	if got := fmt.Sprint(list); got != "[f<float> f<Pair<int, 2>>]" {
		t.Errorf("instances %s", got)
	}
	if len(rest) != len(source) || strings.Count(rest, "\n") != strings.Count(source, "\n") || strings.Contains(rest, "f<") ||
		!strings.HasSuffix(rest, "template int g<int>(int);\ntemplate struct S<int>;\nint y;") {
		t.Errorf("the rest is %q", rest)
	}
}

// TestWithInstances: instances are kernels of the C linkage, with the lines of the template for messages.
func TestWithInstances(t *testing.T) {
	const source = `__global__ void plain(int *x) {}
namespace n {
template <typename T, int N = 2, class U = T>
static __global__ void __launch_bounds__(N * 64)
scale(T a, const T *x, U *__restrict__ y, unsigned n = N) {
  y[0] = a * x[N];
} }
__global__ void last(int *x) {}
`
	in, _ := ParseInstance("scale<float, 4>")
	other, _ := ParseInstance("scale<double>")
	text, err := WithInstances(source, []Instance{in, other, in})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range Declarations(text) {
		var params []string
		for _, p := range d.Params {
			params = append(params, p.Type+" "+p.Elem)
		}
		got = append(got, fmt.Sprint(d.Name, " ", d.linkage, " ", LineAt(text, d.bodyAt), " ", params))
	}
	want := []string{"plain false 1 [int i32]", "scale false 5 [T  T  U  unsigned u32]",
		"scale_float_4 true 8 [float f32 float f32 float f32 unsigned u32]",
		"scale_double true 10 [double f64 double f64 double f64 unsigned u32]", "last false 8 [int i32]"}
	for i := range want {
		if i >= len(got) || strings.Fields(got[i])[0] != strings.Fields(want[i])[0] ||
			!strings.HasSuffix(got[i], want[i][strings.Index(want[i], "["):]) {
			t.Fatalf("kernels %q, want %q in\n%s", got, want, text)
		}
	}
	if at := LineAt(text, strings.Index(text, "void last")); at != 8 {
		t.Errorf("the kernel after it is in line %d", at)
	}
	if lines := strings.Count(text, "__launch_bounds__((4) * 64)") + strings.Count(text, "__launch_bounds__((2) * 64)"); lines != 2 {
		t.Errorf("%d bounds with the arguments in\n%s", lines, text)
	}
	if n := strings.Count(text, "scale_instance("); n != 1 {
		t.Errorf("%d device functions", n)
	}
}

func TestWithInstancesRefuses(t *testing.T) {
	for source, want := range map[string]string{
		"__global__ void f(int *x) {}":                                                                 "f<float>: the source has no kernel template f",
		"template <class... T> __global__ void f(T... x) {}":                                           "the parameter class... T",
		"template <template <class> class T> __global__ void f(T<int> x) {}":                           "no instances here",
		"template <class T> __global__ void f(T *) {}":                                                 "f: parameter 1 has no name",
		"template <class T, int N> __global__ void f(T *x) {}":                                         "f<float> has 1 arguments, and the template has the parameters template <class T, int N>",
		"template <> __global__ void f<int>(int *x) {}":                                                "no specialization of one",
		"template <class T> __global__ void f(T *x) {}\ntemplate <> __global__ void f<int>(int *x) {}": "several templates, or specializations",
		"template> __global__ void f(float *x) {}":                                                     "template is not followed by its parameters",
		"template <class T __global__ void f(T *x) {}":                                                 "template is not followed by its parameters",
		"template <, class T> __global__ void f(T *x) {}":                                              "f: a parameter of the template has no type",
		"template <class T> requires true __global__ void f(T *x) {}":                                  "with requirements",
	} {
		in, _ := ParseInstance("f<float>")
		if _, err := WithInstances(source, []Instance{in}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
	if text, err := WithInstances("int x;", nil); text != "int x;" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// FuzzInstances: no source makes instances panic, and without instances it stays what it is.
func FuzzInstances(f *testing.F) {
	f.Add("template <class T, int N = 2> __global__ void f(T *x, int n = N) { x[0] = n; }\ntemplate __global__ void f<float>(float *, int);", "f<int, 3>")
	f.Add("template <> __global__ void f<int>(int *x) {}", "f<int>")
	f.Add("template __global__ <", "f<")
	f.Fuzz(func(t *testing.T, source, name string) {
		list, rest := Instances(source)
		if len(rest) != len(source) {
			t.Fatalf("%q became %q", source, rest)
		}
		if in, ok := ParseInstance(name); ok {
			list = append(list, in)
		}
		text, err := WithInstances(rest, list)
		if err == nil && len(list) == 0 && text != rest {
			t.Fatalf("%q became %q", rest, text)
		}
		for _, in := range list { // whether a kernel that is no C++ is one is the compiler's to say
			if err == nil && !strings.Contains(text, in.Symbol()) {
				t.Fatalf("%v is not in %q", in, text)
			}
		}
	})
}
