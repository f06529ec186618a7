package golang
import ("testing";"os";"strings")
func TestL2x(t *testing.T) {
	b, _ := os.ReadFile(os.Getenv("L2X"))
	e, out := newEngine(t)
	for i, c := range strings.Split(string(b), "\n--\n") {
		o := evalShortly(e, i+1, c)
		t.Log(out.String()); out.Reset()
		if o.Failure != nil { t.Log(o.Failure.Name, o.Failure.Message, o.Failure.Frames, o.Failure.Trace) }
	}
}
