package selftest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/rocm"
)

// Options say what Run does.
type Options struct {
	Version string        // of gorocm, for the report
	Devices []string      // names, as for tensor.NewDevice; none for all that there are
	Within  time.Duration // no check of a device begins later; 0 for all the time that it takes
	// Command starts a process that calls Work with its standard output.
	Command func(ctx context.Context, device string, skip []string, within time.Duration) *exec.Cmd
	// Progress, if not nil, is called at the beginning of each check.
	Progress func(device, check string)

	grace time.Duration // how long a check may go on when time is over, before its process is taken to hang
}

// mostDeaths is how many processes of a device may die before the rest of its checks is given up.
const mostDeaths = 5

// Run checks the devices one after the other and returns the report.
func Run(ctx context.Context, o Options) *Report {
	start := time.Now()
	r := &Report{Version: o.Version, Time: start.UTC().Truncate(time.Second), Machine: machine(),
		Environment: environment(), Libraries: libraries()}
	if o.Within <= 0 {
		o.Within = 24 * time.Hour
	}
	if o.grace == 0 {
		o.grace = time.Minute
	}
	names := o.Devices
	if len(names) == 0 {
		for _, i := range rocm.Devices() {
			names = append(names, i.Device())
		}
		names = append(names, "cpu")
	}
	for _, name := range names {
		r.Devices = append(r.Devices, o.device(ctx, name))
	}
	r.Seconds = time.Since(start).Seconds()
	return r
}

// device checks one device. When its process dies, the next one goes on behind the check that killed it.
func (o *Options) device(ctx context.Context, name string) *Device {
	start := time.Now()
	d := &Device{Name: name}
	var done []string
	for range mostDeaths {
		left := max(o.Within-time.Since(start), 0)
		running, words := o.process(ctx, d, &done, left)
		if running == "" && words == "" {
			break
		}
		if running == "" { // it died where there was no check, and would again
			d.Problem = "the process that checks it ended: " + words
			break
		}
		d.Checks = append(d.Checks, Check{Name: running, State: Died, Cases: 1, Failures: 1, Findings: []string{words}})
		done = append(done, running)
	}
	d.Seconds = time.Since(start).Seconds()
	return d
}

// process runs one working process to its end and adds its results to d and done. It returns the check that was
// running when the process ended before its work did, and the last words of the process.
func (o *Options) process(
	ctx context.Context, d *Device, done *[]string, within time.Duration,
) (running, words string) {
	ctx, cancel := context.WithTimeout(ctx, within+o.grace)
	defer cancel()
	cmd := o.Command(ctx, d.Name, *done, within)
	var said tail
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", err.Error()
	}
	if err := cmd.Start(); err != nil {
		return "", err.Error()
	}
	ended := false
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil { // a library prints to standard output
			fmt.Fprintln(&said, lines.Text())
			continue
		}
		switch {
		case e.Begin != "":
			if running = e.Begin; o.Progress != nil {
				o.Progress(d.Name, running)
			}
		case e.Check != nil:
			d.Checks = append(d.Checks, *e.Check)
			*done, running = append(*done, e.Check.Name), ""
		case e.Speed != nil:
			d.Speeds = append(d.Speeds, *e.Speed)
		case e.Info != nil:
			d.Info = *e.Info
		case e.BLAS != "":
			d.BLAS, d.DNN = e.BLAS, e.DNN
		case e.Fail != "":
			d.Problem, ended = e.Fail, true
		case e.End:
			ended = true
		}
	}
	err = cmd.Wait()
	if ended {
		return "", ""
	}
	words = "the process ended"
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		words = fmt.Sprintf("the process was still at it %v after its time, and was ended", o.grace)
	case err != nil:
		words += ": " + err.Error()
	}
	if text := said.String(); text != "" {
		words += "\n" + text
	}
	return running, words
}

// tail keeps the last lines written to it. Any goroutine may write.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const (
	tailBytes = 4 << 10
	tailLines = 20
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = bytes.Clone(t.text[extra:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
