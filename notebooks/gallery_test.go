package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/rocm"
)

// gallery are the notebooks of this folder with the least number of pictures that each shows. 09-gpt has a test of its
// own.
var gallery = []struct {
	file     string
	pictures int
	compiler bool // needs a compiler of kernels
	program  bool // runs gorocm
	data     bool // reads files of this folder
}{
	{file: "01-first-steps.ipynb", pictures: 2},
	{file: "02-spectrogram.ipynb", pictures: 1},
	{file: "03-views-and-broadcasting.ipynb", pictures: 2},
	{file: "04-images.ipynb", pictures: 6},
	{file: "05-hip-kernel.ipynb", pictures: 1, compiler: true},
	{file: "06-kmeans-and-pca.ipynb", pictures: 5},
	{file: "07-training.ipynb", pictures: 4},
	{file: "08-scripts.ipynb", pictures: 2, program: true},
	{file: "10-several-gpus.ipynb", pictures: 3},
	{file: "11-fits-and-equations.ipynb", pictures: 5},
	{file: "12-monte-carlo.ipynb", pictures: 6},
	{file: "13-signals.ipynb", pictures: 6},
	{file: "15-tables.ipynb", pictures: 2},
	{file: "16-semantic-search.ipynb", pictures: 3},
	{file: "18-chat.ipynb"},
	{file: "19-speech.ipynb", pictures: 4, data: true},
	{file: "20-images.ipynb", pictures: 7, data: true},
	{file: "00-tour.ipynb", pictures: 1},
}

// TestGallery runs every notebook on Device("rocm"), which is the emulated GPU where there is no other.
func TestGallery(t *testing.T) {
	for _, g := range thorough.Sample(gallery, 4, 0) {
		t.Run(g.file, func(t *testing.T) {
			if g.compiler {
				needCompiler(t)
			}
			if g.program {
				if testing.Short() {
					t.Skip("building gorocm takes too long with -short")
				}
				t.Setenv("PATH", buildProgram(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
			}
			notebook, err := cells.Read(g.file)
			if err != nil {
				t.Fatal(err)
			}
			if !g.data {
				t.Chdir(t.TempDir()) // for the files that cells write
			}
			t.Setenv("GOROCM_DEVICE", "rocm") // of those that compute on the CPU otherwise
			if got := run(t, notebook); got < g.pictures {
				t.Errorf("%d pictures, want %d", got, g.pictures)
			}
		})
	}
}

// run runs the cells in a session and returns how many pictures they show.
func run(t *testing.T, notebook cells.File) (pictures int) {
	t.Helper()
	session, err := repl.New(repl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, cell := range notebook.Cells {
		if cell.Kind != cells.Code {
			continue
		}
		reply := session.Eval(context.Background(), repl.Request{Code: cell.Source}, func(e repl.Event) {
			if e.Data["image/png"] != "" {
				pictures++
			}
		})
		if reply.Err != nil {
			t.Fatalf("%s\n\nin\n%s", reply.Err.Text(false), cell.Source)
		}
	}
	return pictures
}

// needCompiler skips a test where no kernel can be compiled for the GPU.
func needCompiler(t *testing.T) {
	t.Helper()
	if _, err := rocm.Compile("probe", "__global__ void probe(int *x) {}"); errors.Is(err, rocm.ErrNoLibrary) ||
		errors.Is(err, rocm.ErrNoDevice) {
		t.Skipf("needs a compiler of kernels, clang 17 or later with lld, or hiprtc: %v", err)
	}
}

// buildProgram returns the folder of a gorocm that is built once for all tests.
func buildProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build gorocm with")
	}
	built.once.Do(func() {
		built.out, built.err = exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(built.dir, "gorocm"),
			"../cmd/gorocm").CombinedOutput()
	})
	if built.err != nil {
		t.Fatalf("%v\n%s", built.err, built.out)
	}
	return built.dir
}

// built is what buildProgram has built, in a folder that TestMain makes and removes.
var built struct {
	once sync.Once
	dir  string
	out  []byte
	err  error
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "notebooks")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		built.dir = dir
		return m.Run()
	}())
}

// TestExecuted: notebooks are kept with their outputs, in order, and without errors; what they show names no folder of
// the machine that ran them.
func TestExecuted(t *testing.T) {
	for _, g := range gallery {
		data, err := os.ReadFile(g.file)
		if err != nil {
			t.Fatal(err)
		}
		var notebook struct {
			Cells []struct {
				Type    string `json:"cell_type"`
				Count   int    `json:"execution_count"`
				Outputs []struct {
					Type string `json:"output_type"`
				} `json:"outputs"`
			} `json:"cells"`
		}
		if err := json.Unmarshal(data, &notebook); err != nil {
			t.Fatalf("%s: %v", g.file, err)
		}
		count, text := 0, 0
		for _, c := range notebook.Cells {
			if c.Type != "code" {
				text++
				continue
			}
			count++
			if c.Count != count {
				t.Errorf("%s: code cell %d has number %d", g.file, count, c.Count)
			}
			for _, o := range c.Outputs {
				if o.Type == "error" {
					t.Errorf("%s: code cell %d has failed", g.file, count)
				}
			}
		}
		if text < 3 {
			t.Errorf("%s has %d cells of text", g.file, text)
		}
		for _, folder := range []string{"/tmp/", "/home/", "/root/", "/work/"} {
			if strings.Contains(string(data), folder) {
				t.Errorf("%s names %s", g.file, folder)
			}
		}
	}
}
