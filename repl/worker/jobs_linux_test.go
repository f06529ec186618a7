package worker

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestJobs: %jobs lists the programs of cells while they run.
func TestJobs(t *testing.T) {
	c := startTest(t)
	const nothing = "nothing that cells have started runs any more\n"
	if _, out := eval(t, c, "%jobs"); out != nothing {
		t.Errorf("%q", out)
	}
	own, unseen := newScript(t), newScript(t)
	eval(t, c, fmt.Sprintf(`job := exec.Command("sh", "-c", %q); job.Start()`, own.text("")))
	eval(t, c, fmt.Sprintf(`other := exec.Command("sh", "-c", %q); run := other.Start; run()`, unseen.text("")))
	pid, second := own.pid(t), unseen.pid(t)
	_, out := eval(t, c, "%jobs")
	if !strings.Contains(out, fmt.Sprintf("%d  cell[2]  sleep 1000", pid)) ||
		!strings.Contains(out, fmt.Sprint(second)) || strings.Count(out, "\n") != 2 {
		t.Errorf("%d, %d: %q", pid, second, out)
	}
	for _, p := range []int{pid, second} {
		if err := syscall.Kill(p, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		awaitEnd(p)
	}
	if _, out := eval(t, c, "%jobs"); out != nothing {
		t.Errorf("%q", out)
	}
	eval(t, c, "stop := make(chan int)\ngo func() { <-stop }()")
	if _, out := eval(t, c, "%jobs"); !strings.Contains(out, "goroutines that they have started may") {
		t.Errorf("%q", out)
	}
}
