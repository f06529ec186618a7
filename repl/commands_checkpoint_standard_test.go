package repl

import (
	"path/filepath"
	"strings"
	"testing"
)

// standard are cells with values of the standard library, and what the restored session is asked of them.
const standard = `
import "unique"
err, own := errors.New("x"), &net.AddrError{Err: "a", Addr: "b"}
w := fmt.Errorf("reading %d: %w", 3, io.EOF)
two := fmt.Errorf("%w and %w", err, own)
joined := errors.Join(err, w)
type result struct { N int; Err error }
results := []result{{1, nil}, {2, err}, {3, io.ErrUnexpectedEOF}}
anys := map[string]any{"n": 1, "e": errors.New("y"), "err": err, "client": http.DefaultClient}
_, number := strconv.Atoi("zz")
_, missing := os.Open("/does/not/exist")
late, closed, end := context.DeadlineExceeded, net.ErrClosed, io.EOF
bad := json.Unmarshal([]byte("{"), &anys)
var count atomic.Int64; var on atomic.Bool; var held atomic.Value
count.Add(5); on.Store(true); held.Store(err)
queue := list.New(); front := queue.PushBack(1); queue.PushBack("z");
around := ring.New(2); around.Value = 1; around.Next().Value = err
link, _ := url.Parse("https://u:p@host/x")
utc, zone := time.UTC, time.FixedZone("X", 3600)
ctx, client, latin, discard := context.Background(), http.DefaultClient, unicode.Latin, io.Discard
timeout, table, row := &http.DefaultClient.Timeout, crc32.IEEETable, crc32.IEEETable[3:5]
at, code := &http.DefaultClient, base64.StdEncoding
posix, longest, perl := regexp.MustCompilePOSIX("^(a|ab)$"), regexp.MustCompile("^(?:a|ab|\\d)"), regexp.MustCompile("a|ab")
longest.Longest()
order := binary.BigEndian
mixed := []any{posix, *perl, longest}
`

var standardAsked = [][2]string{
	{"[]bool{errors.Is(w, io.EOF), end == io.EOF, results[1].Err == err, results[2].Err == io.ErrUnexpectedEOF, anys[\"err\"] == any(err)}",
		"[true true true true true]"},
	{`[]bool{errors.Is(two, err), errors.Is(two, own), errors.Is(joined, err), errors.Is(joined, io.EOF), held.Load() == any(err)}`,
		"[true true true true true]"},
	{"[]bool{errors.Is(number, strconv.ErrSyntax), errors.Is(missing, os.ErrNotExist), late == context.DeadlineExceeded, closed == net.ErrClosed}",
		"[true true true true]"},
	{"fmt.Sprint(w, two, results, anys[\"e\"], bad)",
		`"reading 3: EOF x and address b: a [{1 <nil>} {2 x} {3 unexpected EOF}] y unexpected end of JSON input"`},
	{"queue.MoveToBack(front); fmt.Sprint(count.Add(1), on.Load(), queue.Front().Value, queue.Back().Value, queue.Len(), around.Next().Value, around.Len())",
		`"6 truez1 2 x 2"`},
	{"fmt.Sprint(link, utc == time.UTC, time.Unix(0, 0).In(zone))", `"https://u:p@host/x true 1970-01-01 01:00:00 +0100 X"`},
	{"[]bool{ctx == context.Background(), client == http.DefaultClient, anys[\"client\"] == any(client), latin == unicode.Latin, discard == io.Discard}",
		"[true true true true true]"},
	{"[]bool{timeout == &client.Timeout, table == crc32.IEEETable, &row[1] == &crc32.IEEETable[4], *at == client, code == base64.StdEncoding}",
		"[true true true true true]"},
	{"order == binary.BigEndian, order.Uint16([]byte{1, 0})", "true, 256"},
	{`s := "ab"; fmt.Sprint(posix.FindString("x\nab"), longest.FindString(s), perl.FindString(s), mixed[0].(*regexp.Regexp) == posix, len(row), cap(row))`,
		`"ababatrue 2 253"`},
}

// TestCheckpointStandard: errors are equal to those that they were equal to, and what belongs to a variable of a
// package, or to a new session's, is that. Regular expressions prefer what they preferred.
func TestCheckpointStandard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := newSession(t)
	if _, r := run(t, s, standard); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	ask := func() {
		t.Helper()
		for _, a := range standardAsked {
			if out, r := run(t, s, a[0]); r.Err != nil || !strings.HasPrefix(strings.TrimSpace(out), a[1]) {
				t.Errorf("%s: %+v %s, want %s", a[0], r.Err, out, a[1])
			}
		}
	}
	if out, r := run(t, s, "%checkpoint "+path); r.Err != nil || strings.Contains(out, "not kept") {
		t.Fatalf("%+v %s", r.Err, out)
	}
	s = newSession(t)
	if out, r := run(t, s, "%restore "+path); r.Err != nil || strings.Contains(out, "not kept") {
		t.Fatalf("%+v %s", r.Err, out)
	}
	ask()
}

// TestCheckpointProcess: what has no meaning in another process is named, not kept.
func TestCheckpointProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	got := testSession(t, `import "unique"
type tag struct { name unique.Handle[string]; n int }
type box[T any] struct { v []T }
x, h := 7, unique.Make("x")
byTag, tags, in := map[unique.Handle[string]]int{h: 1}, []*tag{{h, 1}}, any(h)
var deep box[unique.Handle[int]]; var plain box[string]
addr := netip.MustParseAddr("::1%eth0")
http.DefaultClient.Timeout = time.Second
client, mux := http.DefaultClient, http.DefaultServeMux`, "%checkpoint "+path, "http.DefaultClient.Timeout = 0",
		"%restore "+path, "fmt.Println(x, len(plain.v), addr)")
	const part = " is not kept: a unique.Handle is part of its type"
	for _, want := range []string{"h (unique.Handle[string])" + part, "byTag (map[unique.Handle[string]]int)" + part, "tags ([]*tag)" + part,
		"deep (box[unique.Handle[int]])" + part, "in (any) is not kept: a unique.Handle[string]", "mux (*http.ServeMux) is not kept",
		"client (*http.Client) is not kept: a pointer to what http.DefaultClient points to, which has been changed",
		"7 0 ::1%eth0"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}
