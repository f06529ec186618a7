package assist_test

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/assist"
)

// inspectTests: | is the cursor; want begins the text, each line after + is among the others, - must not be there; ""
// is nothing.
var inspectTests = []struct{ code, want string }{
	{"nu|mber", "var number int\n+declared in cell[3]"},
	{"|number", "var number int"},
	{"number|", "var number int"},
	{"person.Na|me", "field Name string\n+field of Person\n+what others say"},
	{"people[0].Home.Ci|ty", "field City string\n+field of Address"},
	{"worker.Na|me", "field Name string\n+field of Person"},
	{"person.Gre|et", "func (p Person) Greet(to *Person, loud bool) string\n+Greet says hello.\n+declared in cell[2]"},
	{"worker.Gre|et", "func (p Person) Greet(to *Person, loud bool) string\n+promoted to Employee"},
	{"Pers|on", "type Person struct {\n+\tName    string\n+\tFriends []*Person\n+methods: Greet, Rename\n+Person has a name."},
	{"Weekd|ay", "type Weekday int\n+methods: Next, String"},
	{"Mon|day", "const Monday Weekday = 1"},
	{"Sha|pe", "type Shape interface{Area() float64; Scale(by float64) Shape}"},
	{"Sta|ck", "type Stack[T any] struct{items []T}"},
	{"stack.Pu|sh", "func (s *Stack[Person]) Push(x Person)"},
	{"loa|d", "func load(path string, retries int) (*Person, error)"},
	{"Ma|p(people, fn)", "func Map[A, B any](xs []A, f func(A) B) []B\n+here: func Map(xs []Person, f func(Person) Address) []Address"},
	{"fn|", "var fn func(p Person) Address"},
	{"strings.Rep|eat", "func strings.Repeat(s string, count int) string\n+Repeat returns a new string consisting of count copies of the string s."},
	{"strings.Buil|der", "type strings.Builder struct {\n+methods: Cap, Grow"},
	{"strings.Builder.Write|String", "func (b *strings.Builder) WriteString(s string) (int, error)\n+WriteString appends the contents of s"},
	{"buf.Write|String(\"x\")", "func (b *bytes.Buffer) WriteString(s string) (n int, err error)"},
	{"str|ings", "package strings // import \"strings\"\n+Package strings implements"},
	{"encoding/json|", "package json // import \"encoding/json\""},
	{"import \"encoding/js|on\"", "package json // import \"encoding/json\""},
	{"import str \"strings\"\nst|r.ToUpper", "package strings // import \"strings\""},
	{"math.P|i", "const math.Pi untyped float = 3.14159"},
	{"os.Std|out", "var os.Stdout *os.File"},
	{"io.EO|F", "var io.EOF error"},
	{"io.Read|er", "type io.Reader interface{Read(p []byte) (n int, err error)}"},
	{"http.Han|dler", "type http.Handler interface"},
	{"time.Dur|ation", "type time.Duration int64\n+methods: Abs, Hours"},
	{"len|", "func len(v T) int\n+len returns"},
	{"appe|nd", "func append(slice []T, elems ...T) []T"},
	{"int|", "type int"},
	{"err|or", "type error interface{Error() string}"},
	{"tru|e", "const true untyped bool = true"},
	{"ni|l", "nil\n+zero value"},
	{"fo|r i := range 3 {}", "for [init; ] [cond] [; post] { … }\n+for is Go's loop"},
	{"def|er f()", "defer f(x)"},
	{"nosuch|", ""},
	{"person.nosu|ch", ""},
	{"// person|", ""},
	{"\"person|\"", ""},
	{"|", ""},
	{"3|", ""},

	{"http.Server{Ad|dr: \"\"}", "field Addr string\n+field of http.Server\n+Addr optionally specifies the TCP address"},
	{"var s http.Server\ns.Hand|ler", "field Handler http.Handler\n+field of http.Server\n+handler to invoke"},
	{"var h http.Handler\nh.Serve|HTTP", "func (http.Handler) ServeHTTP(http.ResponseWriter, *http.Request)"},
	{"var c net.Conn\nc.SetDead|line", "func (net.Conn) SetDeadline(t time.Time) error\n+SetDeadline sets the read and write deadlines"},

	// Calls.
	{"strings.Repeat(|", "func strings.Repeat(‹s string›, count int) string\n+Repeat returns"},
	{"strings.Repeat(|)", "func strings.Repeat(‹s string›, count int) string"},
	{"strings.Repeat(\"a\", |)", "func strings.Repeat(s string, ‹count int›) string"},
	{"strings.Repeat(\"a|\", 3)", "func strings.Repeat(‹s string›, count int) string"},
	{"strings.Repeat(\"a\", 3|)", "func strings.Repeat(s string, ‹count int›) string"},
	{"strings.Repeat(\"a,b(\", |", "func strings.Repeat(s string, ‹count int›) string"},
	{"strings.Repeat(\"a\", 3)|", "func strings.Repeat(s string, count int) string"},
	{"fmt.Println(strings.Repeat(\"a\", |", "func strings.Repeat(s string, ‹count int›) string"},
	{"fmt.Println(strings.Repeat(\"a\", 1), |", "func fmt.Println(‹a ...any›) (n int, err error)"},
	{"fmt.Printf(\"%d\", 1, 2, |", "func fmt.Printf(format string, ‹a ...any›) (n int, err error)"},
	{"person.Greet(nil, |)", "func (p Person) Greet(to *Person, ‹loud bool›) string\n+Greet says hello."},
	{"person.Greet(\n\tnil,\n\t|\n)", "func (p Person) Greet(to *Person, ‹loud bool›) string"},
	{"Map(people, |", "func Map(xs []A, ‹f func(A) B›) []B"},
	{"append(numbers, |", "append(slice []T, ‹elems ...T›) []T"},
	{"make([]int, |", "make(t T, ‹size ...int›) T"},
	{"fn(|", "fn(‹p Person›) Address\n+var fn"},
	{"x := load(\"a\", |\ny := 1", "func load(path string, ‹retries int›) (*Person, error)"},
	{"strings.Map(func(r rune) rune { |", ""},
	{"strings.Map(func(r rune) rune { return unicode.ToUpper(|", "func unicode.ToUpper(‹r rune›) rune"},
	{"if strings.Contains(name, | {\n}", "func strings.Contains(s string, ‹substr string›) bool"},

	// Names of the cell itself.
	{"x := 3\nfmt.Println(x|)", "var x int"},
	{"// Half halves.\nfunc Half(n int) int { return n / 2 }\nHal|f(3)", "func Half(n int) int\n+Half halves."},
	{"func f(text string) { te|xt }", "var text string"},
	{"for i, p := range people { p|", "var p Person"},
	{"for i, p := range people { p.Ag|e", "field Age int"},
	{"func (q *Person) Older() { q.A|ge++ }", "field Age int\n+field of Person"},
	{"func (q *Person) Older() { q|.Age++ }", "var q *Person"},
	{"func (p Person) Extra() int { return 1 }\nperson.Ext|ra()", "func (p Person) Extra() int"},
	{"type Car struct{ Wheels int }\nCar{Whe|els: 3}", "field Wheels int\n+field of Car"},
	{"Person{Na|me: \"a\"}", "field Name string\n+field of Person"},
	{"outer:\nfor {\n\tbreak out|er\n}", "outer:"},
	{"x := person.\n\tRen|ame(\"a\")", "func (p *Person) Rename(name string) *Person"},
	{"number := \"shadowed\"\nnum|ber", "var number string"},
	{"a b c\nnum|ber", "var number int"},
	{"func f[T any](x T) { x|", "var x T"},

	// Marks.
	{"?number|", "var number int"},
	{"number?|", "var number int"},
	{"??load|", "func load(path string, retries int) (*Person, error)\n+func load(path string, retries int) (*Person, error) { return &Person{}, nil }"},
	{"load??|", "func load(path string, retries int) (*Person, error)\n+func load(path string, retries int) (*Person, error) { return &Person{}, nil }"},
	{"Person??|", "type Person struct {\n+\tName string // what others say"},
	{"strings??|", "package strings\n+functions: Clone, Compare"},
}

func TestInspect(t *testing.T) {
	e := completionEngine(t)
	for _, tt := range inspectTests {
		t.Run(tt.code, func(t *testing.T) {
			cursor := strings.LastIndexByte(tt.code, '|')
			text, ok := e.Inspect(tt.code[:cursor]+tt.code[cursor+1:], cursor, 0)
			if tt.want == "" || !ok {
				if ok != (tt.want != "") {
					t.Fatalf("found %v: %s", ok, text)
				}
				return
			}
			for i, w := range strings.Split(tt.want, "\n+") {
				if i == 0 && !strings.HasPrefix(text, w) || !strings.Contains(text, w) {
					t.Errorf("no %s in\n%s", w, text)
				}
			}
		})
	}
}

// TestInspectHTML: what is HTML in a name, a value or a comment stays text, and doc comments are laid out.
func TestInspectHTML(t *testing.T) {
	e := completionEngine(t)
	run(t, e, 1, "// F is <b>not bold</b>. See [strings.Repeat].\n//\n//\tcode\nfunc F(a <-chan int, b int) {}")
	d, ok := e.Describe("F(nil, ", 7, 0)
	if !ok {
		t.Fatal("nothing")
	}
	d.Facts = []assist.Fact{{"value", "<i>"}}
	html := d.HTML()
	for _, want := range []string{"func F(a &lt;-chan int, <b>b int</b>)", "&lt;b&gt;not bold&lt;/b&gt;",
		"https://pkg.go.dev/strings#Repeat", "<pre>code\n</pre>", "<code>&lt;i&gt;</code>", "declared in cell[1]"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}
