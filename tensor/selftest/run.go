package selftest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/rocm"
)

// Options say what Run does.
type Options struct {
	Version string   // of gorocm, for the report
	Devices []string // names, as for tensor.NewDevice; none for all that there are
	// no check of a device begins later; negative for all the time that it takes, 0 for two minutes on a GPU, and some
	// seconds on the CPU and on an emulated GPU, whose tests are those of go test
	Within time.Duration
	// Command makes a process that calls Work with the job and its standard output.
	Command func(ctx context.Context, job Job) *exec.Cmd
	// Progress, if not nil, is called at the beginning of each check.
	Progress func(device, check string)

	grace time.Duration // how long a check may go on when time is over, before its process is taken to hang
}

// Job is the work of one process.
type Job struct {
	Device string
	Part   string        // one of the parts below; empty for all checks
	Skip   []string      // checks that are left out
	Within time.Duration // no check begins later
}

// The parts of a self-test that have a process of their own.
const (
	PartOwn   = "own"   // the speeds of what libraries do, by gorocm's kernels
	PartFault = "fault" // a deliberate fault
	PartAfter = "after" // a process that uses the GPU after it
)

// Parts are all of them.
var Parts = []string{PartOwn, PartFault, PartAfter}

const (
	gpuTime   = 2 * time.Minute
	otherTime = 10 * time.Second
)

// within is the time of a device's checks.
func (o *Options) within(name string) time.Duration {
	switch {
	case o.Within > 0:
		return o.Within
	case o.Within < 0:
		return 24 * time.Hour
	}
	for _, i := range rocm.Devices() {
		if i.Platform != rocm.Emulated && (i.Device() == name || strings.TrimSuffix(i.Device(), ":0") == name) {
			return gpuTime
		}
	}
	return otherTime
}

// mostDeaths is how many processes of a device may die before the rest of its checks is given up.
const mostDeaths = 5

// Run checks the devices one after the other and returns the report.
func Run(ctx context.Context, o Options) *Report {
	start := time.Now()
	r := &Report{Version: o.Version, Time: start.UTC().Truncate(time.Second), Machine: machine(),
		Environment: environment(), Libraries: libraries()}
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
	within := o.within(name)
	var done []string
	for range mostDeaths {
		left := max(within-time.Since(start), 0)
		running, words := o.process(ctx, d, Job{Device: name, Within: left}, &done)
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
	if d.Info.Platform != "" && d.Problem == "" {
		o.own(ctx, d)
		o.fault(ctx, d)
		d.shareOf()
	}
	d.Seconds = time.Since(start).Seconds()
	return d
}

// own measures gorocm's kernels where libraries have worked, in a process that loads none.
func (o *Options) own(ctx context.Context, d *Device) {
	if !slices.ContainsFunc(d.Speeds, func(s Speed) bool { return s.library }) {
		return
	}
	other := &Device{Name: d.Name}
	var done []string
	job := Job{Device: d.Name, Part: PartOwn, Within: time.Minute}
	if running, words := o.process(ctx, other, job, &done); words != "" {
		d.Checks = append(d.Checks, Check{Name: PartOwn + " kernels: " + running, State: Died, Cases: 1, Failures: 1,
			Findings: []string{words}})
	}
	d.Checks = append(d.Checks, other.Checks...)
	for _, s := range other.Speeds {
		if i := slices.IndexFunc(d.Speeds, func(x Speed) bool { return x.Name == s.Name }); i >= 0 {
			d.Speeds[i].Own = s.Value
		}
	}
}

// process runs one working process to its end and adds its results to d and done, which it skips. It returns the check
// that was running when the process ended before its work did, and the last words of the process.
func (o *Options) process(
	ctx context.Context, d *Device, job Job, done *[]string,
) (running, words string) {
	ctx, cancel := context.WithTimeout(ctx, job.Within+o.grace)
	defer cancel()
	job.Skip = *done
	cmd := o.Command(ctx, job)
	if job.Part == PartOwn {
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env, "GOROCM_BLAS=go", "GOROCM_DNN=go")
	}
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
			e.Speed.library = e.Library
			d.Speeds = append(d.Speeds, *e.Speed)
		case e.Fact != nil:
			d.Facts = append(d.Facts, *e.Fact)
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
		words += "\n" + withoutHome(text)
	}
	return running, words
}
