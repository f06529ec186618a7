package repl

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// kept are cells whose variables a checkpoint keeps, and asked is what the restored session is asked.
const kept = `
var x = 7
//
type point struct {
	a    int
	B    string
	next *point
}
func (p point) sum() int { return p.a + x }
func (p *point) String() string { return "P" + p.B }
type shape interface{ area() float64 }
type square struct{ side float64 }
func (s square) area() float64 { return s.side * s.side * k }
const k = 2
func twice(n int) int { return 2*n + x }
func largest[T cmp.Ordered](a, b T) T { return max(a, b) }
type pair[A, B any] struct { first A; second B }
//
import stdhash "hash/crc32"
import mr "math/rand/v2"
random := mr.NewPCG(1, 2)
var numbers any = mr.NewPCG(3, 4)
px := &x
l := []int{1, 2, 3, 4, 5}
sub, l3 := l[1:3], &l[3]
p := &point{1, "b", nil}
p.next = p
m := map[string]*point{"p": p, "q": {2, "q", nil}}
m2 := m
var sh shape = square{3}
anything := map[string]any{"a": []any{1.5, "x", nil}, "p": p}
when, three := time.Unix(0, 0).UTC(), big.NewInt(3)
dev := Device("cpu")
t := dev.Linspace(tensor.F32, 0, 5, 6).Reshape(2, 3)
t2, w := t, tensor.NewVar(dev.Ones(tensor.F32, 2))
both := pair[string, []int]{"l", l}
f := func() int { return x }
file, _ := os.Open("/dev/null")
`

var asked = [][2]string{
	{"*px = 8; []int{x, twice(1), p.sum(), k, largest(2, 3)}", "[8 10 9 2 3]"},
	{`[]bool{p.next == p, m["p"] == p, anything["p"].(*point) == p, any(t2) == any(t), w.IsVariable(), t.IsVariable()}`,
		"[true true true true true false]"},
	{"l[1], sub[1], *l3 = 99, 77, 55; fmt.Sprint(l, sub, cap(sub), both.second)",
		`"[1 99 77 55 5] [99 77] 4 [1 99 77 55 5]"`},
	{`m2["new"] = nil; fmt.Sprint(len(m), sh.area(), anything["a"], p, when.Unix(), three)`,
		`"3 18 [1.5 x <nil>] Pb 0 3"`},
	{"t.ToVec2()", "[[0 1 2]⏎ [3 4 5]]"},
	{"[]bool{random.Uint64() == mr.NewPCG(1, 2).Uint64(), numbers.(*mr.PCG).Uint64() == mr.NewPCG(3, 4).Uint64()}",
		"[true true]"},
	{`stdhash.ChecksumIEEE(nil) == 0 && f() == x && file == nil`, "true"},
}

// TestCheckpoint: what a session has written, another one has, with all that was shared; what is not kept is told.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.checkpoint")
	s := newSession(t)
	for cell := range strings.SplitSeq(kept, "//\n") {
		if _, r := run(t, s, cell); r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
	}
	out, r := run(t, s, "%checkpoint "+path)
	if r.Err != nil || !strings.Contains(out, "f (func() int) is not kept: a function value; cell[3] has made it") ||
		!strings.Contains(out, "file (*os.File) is not kept") {
		t.Fatalf("%v %s", r.Err, out)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: others can read it", st.Mode(), err)
	}
	s = newSession(t)
	if out, r = run(t, s, "%restore "+path); r.Err != nil || !strings.Contains(out, "restored: ") ||
		!strings.Contains(out, "file (*os.File) is not kept: a os.File, whose fields are not exported; it is zero now; cell[3]") ||
		!strings.Contains(out, "with all that these do:\n  file, _ = os.Open(\"/dev/null\")") {
		t.Fatalf("%+v %s", r.Err, out)
	}
	for _, a := range asked {
		out, r := run(t, s, a[0])
		if got := strings.ReplaceAll(strings.TrimSpace(out), "\n", "⏎"); r.Err != nil || !strings.HasPrefix(got, a[1]) {
			t.Errorf("%s: %+v %s, want %s", a[0], r.Err, got, a[1])
		}
	}
	if out, _ := run(t, s, "%vars"); strings.Contains(out, boxPrefix) {
		t.Errorf("a variable of the restoring is left: %s", out)
	}
}

// TestAutoCheckpoint: a checkpoint is written by itself after a cell, and what a session loses at its end is in it.
func TestAutoCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := newSession(t)
	run(t, s, "n := 1")
	if _, r := run(t, s, "%checkpoint -a "+path); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	s.checkpoints.last = time.Time{} // as if half a minute had passed
	run(t, s, "n = 2")
	if err := <-s.checkpoints.syncing; err != nil {
		t.Fatal(err)
	}
	s.checkpoints.syncing = nil
	run(t, s, "n = 3") // too soon
	s = newSession(t)
	run(t, s, "%restore "+path)
	if out, _ := run(t, s, "n"); strings.TrimSpace(out) != "2" {
		t.Errorf("n is %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestAutoCheckpointOfIdleSession: what cells have changed comes to the file when the time has come, also where no cell
// follows, and where the session ends before.
func TestAutoCheckpointOfIdleSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	has := func(want string) bool {
		s := newSession(t)
		run(t, s, "%restore "+path)
		out, _ := run(t, s, "n")
		return strings.TrimSpace(out) == want
	}
	s := newSession(t)
	run(t, s, "n := 1")
	run(t, s, "%checkpoint -a "+path)
	s.cells.Lock()
	s.checkpoints.last = time.Now().Add(-autoEvery + time.Second) // as if half a minute had almost passed
	s.cells.Unlock()
	run(t, s, "n = 2")
	if !has("1") {
		t.Error("it was written too soon")
	}
	deadline := time.Now().Add(time.Minute)
	for !has("2") {
		if time.Now().After(deadline) {
			t.Fatal("the file was not written")
		}
		time.Sleep(100 * time.Millisecond)
	}
	run(t, s, "n = 3")
	if err := s.Close(); err != nil || !has("3") {
		t.Errorf("the end of the session: %v", err)
	}
	s = newSession(t)
	run(t, s, "n := 4")
	run(t, s, "%checkpoint -a "+path)
	run(t, s, "n = 5")
	run(t, s, "%checkpoint off")
	if err := s.Close(); err != nil || !has("4") {
		t.Errorf("it was written after it was off: %v", err)
	}
}

// TestCheckpointGenerators: the random numbers of a device go on where they were.
func TestCheckpointGenerators(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := newSession(t)
	for _, code := range []string{`dev := Device("cpu"); dev.SetSeed(7); dev.Randn(tensor.F32, 5);`, "%checkpoint " + path} {
		if _, r := run(t, s, code); r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
	}
	const next = "dev.Seed(), dev.Randn(tensor.F32, 3).ToVec1(), dev.Rand(tensor.F32, 2).ToVec1()"
	want, _ := run(t, s, next)
	s = newSession(t)
	run(t, s, `Device("cpu").SetSeed(8)`)
	run(t, s, "%restore "+path)
	if got, _ := run(t, s, next); got != want || !strings.HasPrefix(got, "7") {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCheckpointRefused: where the values of a checkpoint cannot be read, its variables are not there, rather than zero.
func TestCheckpointRefused(t *testing.T) {
	path, x := filepath.Join(t.TempDir(), "c"), 42
	w := checkpoint.NewWriter()
	if err := w.Add(reflect.ValueOf(&x)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := w.Write(f, checkpoint.Header{Vars: []checkpoint.Variable{{Name: "x", Type: "string"}}}); err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	_, r := run(t, s, "%restore "+path)
	if r.Err == nil || !strings.Contains(r.Err.Text(false), "no variable of the checkpoint is restored") {
		t.Fatalf("%v", r.Err)
	}
	if _, r := run(t, s, "x"); r.Err == nil || !strings.Contains(r.Err.Message, "undefined: x") {
		t.Errorf("x: %v", r.Err)
	}
}

// TestCheckpointErrors: what is wrong with a file is told, and nothing of the session has changed.
// TestCheckpointOfAKilledSession: what a session that was killed has left of a checkpoint is removed by the next one,
// and what another session writes is not.
func TestCheckpointOfAKilledSession(t *testing.T) {
	folder := t.TempDir()
	left, busy, other := filepath.Join(folder, ".c.123"), filepath.Join(folder, ".c.124"), filepath.Join(folder, ".c.d")
	for _, f := range []string{left, busy, other, filepath.Join(folder, ".c.125")} {
		if err := os.WriteFile(f, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if old := time.Now().Add(-2 * leftAfter); f != filepath.Join(folder, ".c.125") { // which has just been made
			if err := os.Chtimes(f, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, err := os.Open(busy)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		t.Skip("no locks here:", err)
	}
	path := filepath.Join(folder, "c")
	made, err := checkpointBeside(path)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	var names []string
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{".c.124", ".c.125", ".c.d", filepath.Base(made.Name())}
	slices.Sort(names)
	slices.Sort(want)
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, want %v (%v)", names, want, err)
	}
}

func TestCheckpointErrors(t *testing.T) {
	dir := t.TempDir()
	s := newSession(t)
	run(t, s, "n := 1")
	path := filepath.Join(dir, "c")
	run(t, s, "%checkpoint "+path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, "n = 5")
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"damaged": {append([]byte(nil), append(data[:len(data)-1:len(data)-1], data[len(data)-1]^1)...), "its sum differs"},
		"short":   {data[:20], "not a checkpoint"},
		"other":   {[]byte(strings.Repeat("no checkpoint ", 100)), "not a checkpoint"},
	} {
		if err := os.WriteFile(path, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, r := run(t, s, "%restore "+path); r.Err == nil || !strings.Contains(r.Err.Text(false), tt.want) {
			t.Errorf("%s: %+v", name, r.Err)
		}
	}
	if _, r := run(t, s, "%checkpoint "+filepath.Join(dir, "none", "c")); r.Err == nil {
		t.Error("written into a folder that does not exist")
	}
	if out, _ := run(t, s, "n"); strings.TrimSpace(out) != "5" {
		t.Errorf("n is %s", out)
	}
}

// TestCheckpointMentioned: functions may mention variables that are not kept, which are zero then, or are left out where
// the type of one cannot be declared. Imports for names without a qualifier come back.
func TestCheckpointMentioned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c")
	testSession(t, `import . "math"
x, ErrX, done := 7, errors.New("x"), make(chan int)
var handlers = map[string]func() int{"a": func() int { return 1 }}
func fails() error { return ErrX }
func counts() int { return len(handlers) + cap(done) + int(Sqrt(16)) + x }`, "%checkpoint "+file)
	got := testSession(t, "%restore "+file, "[]any{x, fails(), counts()}[:]", "fmt.Println(x, fails(), counts())")
	if !strings.Contains(got, "7 x 11\n") || strings.Contains(got, "Error") {
		t.Error(got)
	}
}
