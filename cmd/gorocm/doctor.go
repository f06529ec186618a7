package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/internal/folders"
	"github.com/gorocm/gorocm/jupyter/kernelspec"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/history"
	"github.com/gorocm/gorocm/rocm"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show what was found on this machine, and how to install what is missing",
		Long: `Show which devices, libraries and programs gorocm finds on this machine, where, and in which version.
The exit status is 0 whatever is found: an emulated GPU stands in for a missing one.`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			d := doctor{w: cmd.OutOrStdout()}
			fmt.Fprintln(d.w, versionLine())
			d.devices()
			d.libraries()
			d.session(cmd.Context())
			d.folders()
			d.jupyter()
			d.advice()
			return nil
		}),
	}
}

// doctor writes a report and collects what should be done.
type doctor struct {
	w    io.Writer
	todo []string
}

func (d *doctor) advise(format string, args ...any) {
	d.todo = append(d.todo, fmt.Sprintf(format, args...))
}

// section writes a heading and rows of columns, aligned.
func (d *doctor) section(title string, rows [][]string) {
	fmt.Fprintf(d.w, "\n%s\n", title)
	t := tabwriter.NewWriter(d.w, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		for row[len(row)-1] == "" {
			row = row[:len(row)-1] // or the last column would be padded
		}
		fmt.Fprintln(t, "  "+strings.Join(row, "\t"))
	}
	_ = t.Flush() // errors of standard output have nowhere to go
}

func (d *doctor) devices() {
	var rows [][]string
	amd := false
	for _, i := range rocm.Devices() {
		memory := fmt.Sprintf("%.1f GiB", float64(i.TotalMemory)/(1<<30))
		if i.Integrated {
			memory += " of the host's"
		}
		rows = append(rows, []string{i.Label(), memory, i.Runtime, i.Library})
		if i.Platform != rocm.Emulated {
			state := "sensors: "
			if s, err := rocm.ReadSensors(i); err != nil {
				state += firstLine(strings.TrimPrefix(err.Error(), "rocm: "))
			} else {
				state += s.String()
			}
			rows = append(rows, []string{"  " + state})
		}
		amd = amd || i.Platform == rocm.HIP
	}
	rows = append(rows, []string{"cpu", "", "this machine's processor, in Go", ""})
	d.section("Devices", rows)
	if amd {
		return
	}
	d.noGPU()
}

func (d *doctor) libraries() {
	var rows [][]string
	for _, l := range rocm.Probe() {
		state := ""
		switch {
		case l.Path != "" && l.Problem == "":
			state = strings.TrimPrefix(l.Version+", ", ", ") + l.Path
		case l.Path != "":
			state = fmt.Sprintf("unusable: %s (%s)", firstLine(l.Problem), l.Path)
		case len(l.Tried) > 0:
			state = "absent: tried " + strings.Join(l.Tried, ", ")
		default:
			state = "absent: " + firstLine(l.Problem)
		}
		rows = append(rows, []string{l.Name, l.Purpose, state})
	}
	d.section("Libraries", rows)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// session runs one cell, as every front end would.
func (d *doctor) session(ctx context.Context) {
	state := "works: 6*7 is 42"
	if err := tryCell(ctx, "6*7", "42"); err != nil {
		state = "does not work: " + firstLine(err.Error())
		d.advise("A session could not run a cell: please report this, with the output above.")
	}
	d.section("Session", [][]string{{"worker process", state}})
}

// tryCell runs a cell in a session of its own and compares what it shows.
func tryCell(ctx context.Context, cell, want string) error {
	s, err := startSession()
	if err != nil {
		return err
	}
	got := ""
	reply := s.Eval(ctx, repl.Request{Code: cell}, func(e repl.Event) {
		if e.Kind == repl.Result {
			got = e.Data.Text()
		}
	})
	if reply.Err != nil {
		return reply.Err
	}
	if got != want {
		return fmt.Errorf("%s gives %q", cell, got)
	}
	return s.Close()
}

func (d *doctor) folders() {
	cache := os.Getenv("GOROCM_CACHE")
	if cache == "" {
		if base, err := os.UserCacheDir(); err == nil {
			cache = filepath.Join(base, "gorocm")
		}
	}
	state := "no folder for it: " + folders.HomeVariable + " is not set"
	if cache != "" {
		state = folderState(cache)
	}
	cells := history.File()
	if cells == "" {
		cells = "not kept: neither " + folders.StateVariable + " nor " + folders.HomeVariable + " can be written"
	}
	d.section("Files", [][]string{{"compiled kernels", cache, state}, {"history", cells, ""}})
}

// folderState says what is in a folder of files.
func folderState(dir string) string {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "not made yet"
	}
	if err != nil {
		return err.Error()
	}
	var size int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return fmt.Sprintf("%d files, %.1f MiB", len(entries), float64(size)/(1<<20))
}

func (d *doctor) jupyter() {
	var rows [][]string
	usable := false
	for _, k := range kernelspec.Find() {
		state := "ok, starts " + strings.Join(k.Argv, " ")
		if !k.OK {
			state = k.Problem
			d.advise("The kernel in %s: %s (gorocm install).", k.Dir, k.Problem)
		}
		usable = usable || k.OK
		rows = append(rows, []string{"kernel", k.Dir, state})
	}
	if len(rows) == 0 {
		rows = append(rows, []string{"kernel", "not installed", ""})
	}
	if !usable {
		d.advise("Jupyter does not know the kernel yet: gorocm install.")
	}
	path, err := exec.LookPath("jupyter")
	if err != nil {
		path = "not on PATH"
		d.advise("Jupyter is not on PATH. For notebooks: pip install jupyterlab, or Debian's jupyter-notebook. Terminal and scripts do not need it.")
	}
	d.section("Jupyter", append(rows, []string{"jupyter", path, ""}))
}

func (d *doctor) advice() {
	fmt.Fprintln(d.w, "\nWhat to do")
	if len(d.todo) == 0 {
		fmt.Fprintln(d.w, "  Nothing: everything was found.")
	}
	for _, t := range d.todo {
		fmt.Fprintf(d.w, "  - %s\n", t)
	}
}
