package assist_test

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/golang/assist"
)

// completionCells is the session in which completions are asked for.
var completionCells = []string{
	`type Weekday int
const (
	Sunday Weekday = iota
	Monday
	Tuesday
)
func (d Weekday) String() string { return "day" }
func (d Weekday) Next() Weekday { return d + 1 }`,
	`type Address struct{ Street, City string; Zip int }
// Person has a name.
type Person struct {
	Name string // what others say
	Age  int
	Home Address
	Friends []*Person
	birth time.Time
}
// Greet says hello.
func (p Person) Greet(to *Person, loud bool) string { return p.Name }
func (p *Person) Rename(name string) *Person { p.Name = name; return p }
type Employee struct { *Person; Salary float64 }
func (e Employee) Boss() *Employee { return nil }
type Shape interface { Area() float64; Scale(by float64) Shape }
type Square struct{ Side float64 }
func (s Square) Area() float64 { return s.Side * s.Side }
func (s Square) Scale(by float64) Shape { return s }
type Circle struct{ Radius float64 }
func (c *Circle) Area() float64 { return 3 }
func (c *Circle) Scale(by float64) Shape { return c }
type Stack[T any] struct{ items []T }
func (s *Stack[T]) Push(x T) {}
func (s *Stack[T]) Pop() (x T) { return x }
func Map[A, B any](xs []A, f func(A) B) []B { return nil }
func First[T any](xs []T) T { return xs[0] }
func load(path string, retries int) (*Person, error) { return &Person{}, nil }
func makePerson(name string, age int) Person { return Person{Name: name} }
func setDay(d Weekday, hours float64) {}`,
	`number := 5
numbers := []int{1, 2}
ratio := 0.5
name := "x"
ok := true
person := Person{Name: "a"}
people := []Person{person}
byName := map[string]*Person{}
worker := Employee{Person: &person}
stack := &Stack[Person]{}
today := Monday
var shape Shape = Square{2}
buf := bytes.NewBufferString("x")
ch := make(chan Person, 1)
fn := func(p Person) Address { return p.Home }
anon := struct{ Left, Right int }{1, 2}
var err error`,
	"person.Home",
}

func completionEngine(t testing.TB) *golang.Engine {
	t.Helper()
	e, err := golang.New(golang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range completionCells {
		run(t, e, i+1, c)
	}
	return e
}

// texts are the first few matches.
func texts(c assist.Completion, n int) string {
	var r []string
	for i, m := range c.Matches {
		if i == n {
			break
		}
		r = append(r, strings.TrimSpace(m.Text))
	}
	return strings.Join(r, " ")
}

// TestComplete: | is the cursor. want are the first matches, in order; a word after + must be among the rest, one
// after - must not be there, and "." ends the list.
func TestComplete(t *testing.T) {
	thorough.Slow(t)
	e := completionEngine(t)
	for _, tt := range completeTests {
		t.Run(tt.code, func(t *testing.T) {
			cursor := strings.LastIndex(tt.code, "|")
			code := tt.code[:cursor] + tt.code[cursor+1:]
			c := e.Complete(code, cursor)
			if c.Start > cursor || c.End < cursor || c.End > len(code) {
				t.Fatalf("replaces %d to %d at %d", c.Start, c.End, cursor)
			}
			got := map[string]int{}
			for i, m := range c.Matches {
				got[strings.TrimSpace(m.Text)] = i + 1
			}
			for i, w := range strings.Fields(tt.want) {
				switch {
				case w == ".":
					if len(c.Matches) != i {
						t.Errorf("%d matches, want %d: %s", len(c.Matches), i, texts(c, 20))
					}
				case w[0] == '+':
					if got[w[1:]] == 0 {
						t.Errorf("no %s in %s", w[1:], texts(c, 20))
					}
				case w[0] == '-':
					if got[w[1:]] != 0 {
						t.Errorf("%s in %s", w[1:], texts(c, 20))
					}
				case got[w] != i+1:
					t.Fatalf("got %s; want %s", texts(c, 20), tt.want)
				}
			}
		})
	}
}

var completeTests = []struct{ code, want string }{
	// Members.
	{"person.|", "Age birth Friends Home Name Greet Rename ."},
	{"person.N|", "Name ."},
	{"person.na|", "Name ."},
	{"person.Home.|", "City Street Zip ."},
	{"(&person).|", "Age birth Friends Home Name Greet Rename ."},
	{"worker.|", "Person Salary Boss Age birth Friends Home Name Greet Rename ."},
	{"worker.Boss().|", "Person Salary Boss Age"},
	{"person.Rename(\"x\").|", "Age birth Friends Home Name Greet Rename ."},
	{"person.Rename(\"x\").Home.C|", "City ."},
	{"people[0].|", "Age birth"},
	{"people[0].Friends[1].Home.|", "City Street Zip ."},
	{"people[1:].|", "."},
	{"byName[\"a\"].|", "Age birth"},
	{"stack.|", "items Pop Push ."},
	{"stack.Pop().|", "Age birth Friends Home Name Greet ."},
	{"makePerson(\"a\", 1).|", "Age birth Friends Home Name Greet ."},
	{"First(people).|", "Age birth Friends Home Name Greet ."},
	{"First(numbers).|", "."},
	{"Map(people, fn)[0].|", "City Street Zip ."},
	{"Map(people, func(p Person) time.Duration { return 0 })[0].Se|", "Seconds ."},
	{"(<-ch).|", "Age birth"},
	{"fn(person).|", "City Street Zip ."},
	{"anon.|", "Left Right ."},
	{"shape.|", "Area Scale ."},
	{"shape.Scale(2).|", "Area Scale ."},
	{"shape.(Square).|", "Side Area Scale ."},
	{"err.|", "Error ."},
	{"today.|", "Next String ."},
	{"today.Next().Next().|", "Next String ."},
	{"Weekday(3).|", "Next String ."},
	{"number.|", "."},
	{"buf.Wri|", "Write WriteByte WriteRune WriteString WriteTo ."},
	{"buf.wri|", "Write WriteByte WriteRune WriteString WriteTo ."},
	{"buf.ws|", "WriteString ."},
	{"buf.String|", "String"},
	{"load(\"x\", 1).|", "Age birth Friends Home Name Greet Rename ."},
	{"os.Open(\"x\").Rea|", "Read ReadAt ReadDir Readdir Readdirnames ReadFrom"},
	{"func f() { os.Open(\"x\").| }", "."},
	{"Person.|", "Greet ."},
	{"(*Person).|", "Greet Rename ."},
	{"Stack[int].|", "."},
	{"time.Now().Sub(time.Now()).Hou|", "Hours ."},
	{"strings.NewReplacer(\"a\", \"b\").|", "Replace WriteString ."},
	{"person.|Name", "Age birth"},
	{"person.Na|me", "Name ."},
	{"person.|\ny := 3", "Age birth Friends Home Name Greet Rename ."},
	{"x := person.|\nfmt.Println(x)", "Age birth Friends"},
	{"person.\n\t|", "Age birth Friends"},
	{"person.Rename(\"a\").\n\tRename(\"b\").\n\t|", "Age birth Friends"},
	{"nosuch.|", "."},
	{"_.|", "City Street Zip ."},
	{"a := person\nb := a\nb.|", "Age birth Friends"},
	{"a, b := number, person\nb.|", "Age birth Friends"},
	{"var p *Person\np.|", "Age birth Friends"},
	{"var ps [3]Person\nps[0].|", "Age birth Friends"},
	{"p := &Person{}\np.Re|", "Rename ."},
	{"p := load(\"x\", 2)\np.Re|", "Rename ."},
	{"p, err := load(\"x\", 2)\np.Re|", "Rename ."},
	{"*person.|", "Age"},

	// Packages.
	{"strings.ToU|", "ToUpper ToUpperSpecial"},
	{"strings.tou|", "ToUpper ToUpperSpecial"},
	{"strings.hp|", "HasPrefix"},
	{"math.Ma|", "+MaxInt +MaxFloat64"},
	{"sha256.Su|", "Sum224 Sum256 ."},
	{"utf8.RuneL|", "RuneLen"},
	{"json.Unm|", "Unmarshal"},
	{"import \"encoding/js|", "encoding/json ."},
	{"import \"json|\"", "encoding/json +net/rpc/jsonrpc"},
	{"import (\n\t\"fmt\"\n\t\"stri|", "strings"},
	{"import str \"stri|", "strings"},
	{"import str \"strings\"\nstr.ToU|", "ToUpper ToUpperSpecial"},
	{"import crand \"crypto/rand\"\ncrand.|", "+Reader +Int +Text"},
	{"import html \"html/template\"\nhtml.HT|", "HTML"},
	{"stri|", "string strings"},
	{"byt|", "bytes byte"},
	{"http.Get(url.|", "+Parse +QueryEscape"},
	{"strings.Builder{}.|", "."},
	{"new(strings.Builder).|", "+WriteString"},

	// Half-written code around the cursor.
	{"fmt.Println(person.|", "Age birth"},
	{"fmt.Println(person.|)", "Age birth"},
	{"fmt.Println(number, person.|\nz := 1", "Age birth"},
	{"fmt.Println(\n\tperson.|\n\tnumber,\n)", "Age birth"},
	{"fmt.Println(\n\tnumber,\n\tperson.|\n)", "Age birth"},
	{"fmt.Println(strings.Repeat(person.|", "+Name"},
	{"if person.|", "+Age"},
	{"if person.| {\n}", "+Age"},
	{"if person.|\nfmt.Println(1)", "+Age"},
	{"for _, p := range people { p.|", "+Age"},
	{"for _, p := range people {\n\tif p.Age > 3 {\n\t\tfmt.Println(p.|", "+Name"},
	{"for i, p := range people {\n\tp.|\n}\nfmt.Println(1)", "+Name"},
	{"for _, p := range people[0].Friends { p.|", "+Name +Rename"},
	{"for p := range ch { p.|", "+Name"},
	{"for k, v := range byName { v.|", "+Name"},
	{"for i := range 3 { person.N|", "Name"},
	{"for s := range strings.SplitSeq(name, \",\") { s|", "s"},
	{"func f(p Person) {\n\tp.|\n}\nfunc g() {}", "+Name"},
	{"func f(p Person) {\n\tif p.|\n}\nfunc g() {}", "+Name"},
	{"func f(p Person) {\n\tif p.|\nfunc g() {}", "+Name"},
	{"func f(p Person) (a Address) {\n\ta.|", "City Street Zip ."},
	{"func (p Person) Full() string { return p.|", "Name +Age"},
	{"func (q *Person) Older() { q.Home.|", "City Street Zip"},
	{"func (s *Stack[T]) Top() T { s.|", "items"},
	{"type Car struct { Wheels int; Owner Person }\nc := Car{}\nc.|", "Owner Wheels ."},
	{"type Car struct { Wheels int }\nfunc (c Car) Drive() {}\nc := Car{}\nc.|", "Wheels Drive ."},
	{"type Car struct { Wheels int }\nfunc (c *Car) Drive() { c.|", "Wheels Drive ."},
	{"func (p Person) Extra() int { return 1 }\nperson.Ex|", "Extra ."},
	{"go func() { person.|", "+Name"},
	{"defer func() { person.| }()", "+Name"},
	{"func() { x := person; x.|", "+Name"},
	{"f := func(a Address, n int) {\n\ta.|\n}", "City Street Zip ."},
	{"f := func(a Address) int { return a.|", "Zip City Street ."},
	{"sort.Slice(people, func(i, j int) bool { return people[i].|", "+Age +Name"},
	{"sort.Slice(people, func(i, j int) bool {\n\treturn people[i].|\n})", "+Age +Name"},
	{"slices.SortFunc(people, func(a, b Person) int { return a.|", "Age"},
	{"switch x := shape.(type) {\ncase Square:\n\tx.|", "Side Area Scale ."},
	{"if err := json.Unm|", "Unmarshal Unmarshaler"},
	{"if err := json.Unm| {\n}", "Unmarshal Unmarshaler"},
	{"if err := json.Unm|; err != nil {\n}", "Unmarshal Unmarshaler"},
	{"if x := strings.ToU|", "ToUpper ToUpperSpecial ."},
	{"if p := person; p.Na|", "Name ."},
	{"if p := person.Gre|\nx := 1", "Greet ."},
	{"switch x := person.Na|", "Name ."},
	{"switch x := person.Na| {\ncase \"a\":\n}", "Name ."},
	{"switch x := person.Name; x {\ncase nam|", "name ."},
	{"for x := person.Na|", "Name ."},
	{"for _, p := range peo|", "people ."},
	{"func f() {\n\tif err := json.Unm|\n}", "Unmarshal Unmarshaler"},
	{"switch x := shape.(type) {\ncase *Circle:\n\tx.|\n}", "Radius Area Scale ."},
	{"select {\ncase p := <-ch:\n\tp.|", "+Name"},
	{"x := []Person{{Name: \"a\"}, person.|", "+Name"},
	{"if v, ok := byName[name]; ok { v.|", "+Name +Rename"},
	{"func f[T Shape](x T) { x.|", "Area Scale ."},
	{"func f[T any](x Stack[T]) { x.|", "items Pop Push ."},
	{"func f[K comparable, V Shape](m map[K]V) { for _, v := range m { v.|", "Area Scale ."},
	{"switch {\ncase person.|", "+Age"},
	{"defer person.|", "+Rename"},
	{"go person.|", "+Rename"},
	{"for range person.|", "+Friends"},
	{"strings := 1\nstrings.|", "."},
	{"person.Rename(\"a\"). // first\n\t// then\n\tRe|", "Rename ."},
	{"x := struct{ p Person }{person}\nx.p.|", "+Name"},
	{"type Both struct { Shape; *Person }\nfunc f(b Both) { b.|", "Person Shape Age"},
	{"var f func(Person) *Person\nf(person).|", "+Name"},
	{"func() *Person { return nil }().|", "+Name"},
	{"[]Person{{}}[0].|", "+Name"},
	{"map[string]*Person{}[\"a\"].|", "+Name"},
	{"new(Person).|", "+Name +Rename"},
	{"Person{}.|", "+Name +Greet -Rename"},
	{"(*stack).|", "items"},
	{"slices.Max(people).|", "+Name"},
	{"slices.Collect(maps.Values(byName))[0].|", "+Name +Rename"},
	{"sync.OnceValue(func() Person { return person })().|", "+Name"},
	{"errors.Join(err, err).|", "Error ."},
	{"os.Args[0].|", "."},
	{"context.Background().|", "Deadline Done Err Value ."},
	{"x := 1; person.| ; y := 2", "+Name"},
	{"a := []int{\n\t1,\n\tperson.|\n}", "Age"},
	{"é := person\né.|", "+Name"},
	{"var x = map[string]Person{\"a\": person.|", "+Name"},
	{"s := `raw\nperson.|", "."},
	{"// person.|", "."},
	{"/* person.|", "."},
	{"'p|", "."},
	{"3.|", "."},
	{"x := 1 + \nperson.|", "+Name"},
	{"a b c\nperson.|", "+Name"},
	{"x := foo(\nif true {\n}\nperson.|", "+Name"},
	{"fmt.Println(\"abc\nperson.|", "+Name"},
	{"x := person}\nx.|", "+Name"},
	{"{\n\tinner := person\n\t{\n\t\tinner.|", "+Name"},
	{"if p, err := load(\"x\", 1); err == nil && p.|", "+Name"},
	{"if p := makePerson(\"a\", 1); p.Age > 1 {\n\tp.|", "+Name"},
	{"x, y := person.|, 1", "+Name"},
	{"numbers[person.|]", "Age"},
	{"numbers[person.|", "Age"},
	{"ch <- person.|", "+Age"},
	{"person.Name = person.|", "Name"},

	// What fits comes first.
	{"setDay(|", "today Monday Sunday Tuesday"},
	{"setDay(|)", "today Monday Sunday Tuesday"},
	{"setDay(today, |)", "ratio"},
	{"setDay(today, person.|)", "+Age"},
	{"setDay(to|", "today"},
	{"today = |", "today Monday Sunday Tuesday"},
	{"var d Weekday = |", "today"},
	{"if today == |", "today Monday Sunday Tuesday"},
	{"if today != Mon|", "Monday ."},
	{"switch today {\ncase |", "Monday Sunday Tuesday today"},
	{"switch today {\ncase Monday:\ncase |\n}", "Sunday Tuesday"},
	{"switch today {\ncase Monday, |", "Sunday Tuesday -Monday -iota"},
	{"switch shape.(type) {\ncase |", "Square *Circle"},
	{"switch shape.(type) {\ncase Square:\ncase *C|", "Circle"},
	{"person.Greet(|", "+person"},
	{"person.Greet(nil, |", "ok"},
	{"person.Greet(&|", "person"},
	{"makePerson(|", "name"},
	{"makePerson(name, |", "number"},
	{"strings.ToUpper(|", "name"},
	{"strings.ToUpper(n|", "name number numbers"},
	{"number + |", "number"},
	{"name + |", "name"},
	{"numbers = append(numbers, |", "number"},
	{"people = append(people, |", "person"},
	{"delete(byName, |", "name"},
	{"byName[|", "name"},
	// Letters in order, where nothing begins as typed.
	{"prsn|", "person Person ."},
	{"person.nm|", "Name ."},
	{"strings.hspfx|", "HasPrefix ."},
	{"strings.HPr|", "HasPrefix ."},
	{"person.xq|", "."},
	// Fields of fields that have the type that is wanted.
	{"var s string = worker.|", "Name Greet Home.City Home.Street Person"},
	{"var s string = worker.Ci|", "Home.City ."},
	{"var s string = worker.Home.|", "City Street Zip ."},
	{"strings.ToUpper(person.Home.Ci|", "City ."},
	{"number = person.|", "Age Home.Zip"},
	{"person.Ci|", "."},
	// Init statements.
	{"if p, err := load(\"x\", 1); p.|", "Age birth"},
	{"if err := json.Un|", "Unmarshal"},
	{"switch x := person.|", "Age birth"},
	{"switch x := person; x.Home.|", "City"},
	{"numbers[|", "number"},
	{"ch <- |", "person"},
	{"if |", "ok"},
	{"for |", "ok"},
	{"!|", "ok"},
	{"func f() Weekday { return |", "today"},
	{"func f() (int, Weekday) { return 1, |", "today"},
	{"func f() error { return |", "err +nil"},
	{"f := func() string {\n\treturn |\n}", "name"},
	{"var s Shape = |", "shape"},
	{"person.Age = |", "number"},
	{"person.Age > |", "number"},
	{"Person{Age: |", "number"},
	{"Person{Home: |", "Address"},
	{"var p Person = |", "person"},
	{"fn(|", "person"},
	{"len(|", "+numbers"},

	{"time.Sleep(|", "time.Hour +time.Second"},
	{"time.Sleep(Sec|", "time.Second ."},
	{"time.Sleep(time.Sec|", "Second ."},
	{"time.Sleep(2 * |", "time.Hour +time.Second"},
	{"import t \"time\"\nt.Sleep(|", "t.Hour +t.Second"},
	{"if time.Now().Weekday() == |", "time.Friday +time.Monday"},
	{"switch time.Now().Month() {\ncase time.May:\ncase |", "+time.June -time.May"},
	{"var s Shape = Sq|", "Square"},
	{"var s Shape = &|", "Circle +Square"},
	{"const c Weekday = |", "Monday"},
	{"for range |", "+people +numbers"},
	{"for _, x := range |", "+people +numbers"},

	// Composite literals.
	{"Person{|", "Name: Age: Home: Friends: birth:"},
	{"Person{|}", "Name: Age: Home: Friends: birth:"},
	{"Person{Name: \"a\", |}", "Age: Home: Friends: birth: ."},
	{"Person{Name: \"a\", A|}", "Age: ."},
	{"Person{A|}", "Age:"},
	{"Person{A|: 3}", "Age"},
	{"Person{Name: \"a\", Home: Address{C|", "City:"},
	{"Person{Name: \"a\", Home: Address{City: \"b\", |}}", "Street: Zip: ."},
	{"p := Person{\n\tName: \"a\",\n\t|\n}", "Age: Home: Friends: birth: ."},
	{"p := Person{\n\tName: \"a\",\n\t|\n\tAge: 3,\n}", "Home: Friends: birth: ."},
	{"ps := []Person{{N|", "Name:"},
	{"ps := []*Person{{Name: \"a\"}, {A|}}", "Age:"},
	{"ms := map[string]Person{\"a\": {Name: \"x\", A|", "Age:"},
	{"f(Person{N|", "Name:"},
	{"http.Server{Ad|", "Addr:"},
	{"&http.Client{Timeout: |", "+time"},
	{"struct{ A, B int }{|", "A: B:"},
	{"Employee{Person: &Person{A|", "Age:"},
	{"Address{\"street\", |", "name"},

	// Names, locals and keywords.
	{"numb|", "number numbers ."},
	{"func f(text string) { te|", "text +template"},
	{"func f(text string) { if true { tex := 1; te|", "tex text"},
	{"tex := 1\nfunc f() { te|", "tex"},
	{"x := 1; { y := 2 }; |", "x -y"},
	{"func f(a int) { a|", "a"},
	{"func f(alpha int) { func(beta int) { alp|", "alpha"},
	{"for index := 0; ind|", "index"},
	{"for index := 0; index < 3; ind|", "index"},
	{"outer := 1\nfunc() { inner := 2; _ = |", "inner outer"},
	{"func (p *Person) f() { |", "p"},
	{"func fact(n int) int { return n * fac|", "fact"},
	{"if true { retu|", "return"},
	{"for { cont|", "continue"},
	{"conti|", "."},
	{"for { bre|", "break"},
	{"switch today {\ndef|", "default defer"},
	{"for i := ran|", "range"},
	{"for _, x := range num|", "numbers +number"},
	{"if ok {\n} els|", "else ."},
	{"var x map[str|", "string +strings"},
	{"var x |", "+Person +int"},
	{"var x Per|", "Person ."},
	{"var x *Per|", "Person ."},
	{"var x []Per|", "Person ."},
	{"var x map[string]Per|", "Person ."},
	{"var x time.Dur|", "Duration ."},
	{"func f(p Per|", "Person"},
	{"func f(p *Per|) {}", "Person"},
	{"func f() Per|", "Person"},
	{"func f() (a int, b Per|", "Person"},
	{"func (p *Per|", "Person"},
	{"type T struct { p Per|", "Person"},
	{"type T struct {\n\tPer|\n}", "Person"},
	{"type T interface { M(p Per|", "Person"},
	{"type T Per|", "Person"},
	{"type T = Per|", "Person"},
	{"x.(Per|", "Person"},
	{"make([]Per|", "Person"},
	{"make(|", "+Person"},
	{"new(Per|", "Person"},
	{"Stack[Per|", "Person"},
	{"[]Per|", "Person"},
	{"chan Per|", "Person"},
	{"func(p Per|", "Person"},
	{"var nam|", "."},
	{"x nam|", "."},
	{"fmt.Println(name |", "."},
	{"\"a\" nam|", "."},
	{"len(nam|", "name"},
	{"pri|", "print println"},
	{"app|", "append"},
	{"tr|", "true"},

	// Labels.
	{"outer:\nfor {\n\tfor {\n\t\tbreak |", "outer ."},
	{"outer:\nfor {\n\tinner:\n\tfor {\n\t\tcontinue |\n\t}\n}", "+outer +inner"},
	{"outer:\nfor {\n\tfunc() { break |", "."},
	{"sw:\nswitch {\ncase true:\n\tcontinue |\n}", "."},
	{"sw:\nswitch {\ncase true:\n\tbreak s|\n}", "sw ."},
	{"again:\nnumber++\nif number < 3 { goto a|", "again ."},
	{"func f() {\nretry:\n\tgoto |\n}", "retry ."},
}
