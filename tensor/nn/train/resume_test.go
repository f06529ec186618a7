package train_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/nn/train"
	"github.com/gorocm/gorocm/tensor/random"
)

// The environment of a training program, which this test binary is when they are set.
const (
	programFolder = "GOROCM_TEST_TRAIN_FOLDER"
	programDevice = "GOROCM_TEST_TRAIN_DEVICE"
	programKill   = "GOROCM_TEST_TRAIN_KILL" // the step after which the program kills itself; "save 9" while it saves that
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(programFolder); folder != "" {
		if err := program(folder, os.Getenv(programDevice), os.Getenv(programKill)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func kill() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until it arrives
}

// killer is an optimizer that kills the program in the middle of a checkpoint.
type killer struct {
	*nn.AdamW
	saves *int
	at    int
}

func (k killer) Save(path string) error {
	if *k.saves++; *k.saves == k.at {
		kill()
	}
	return k.AdamW.Save(path)
}

// program trains with everything that has a state: dropout, batch norm's running means, a generator, a schedule,
// averages, several workers that draw random numbers, steps of two batches, evaluations.
func program(folder, device, killed string) error {
	dev, err := tensor.NewDevice(device)
	if err != nil {
		return err
	}
	dev.SetSeed(11)
	tensor.CPU().SetSeed(12)
	g := random.New(13)
	x := g.Normal(0, 1, []int{50, 6}, tensor.F32, tensor.CPU())
	y := x.Sqr().Sum(1).Gt(6).ToDType(tensor.I64)
	p := nn.NewParams(tensor.F32, dev)
	first, norm := nn.NewLinear(6, 16, p.At("first")), nn.BatchNormOf(16, p.At("norm"))
	last := nn.NewLinear(16, 2, p.At("last"))
	net := func(x *tensor.Tensor, train bool) *tensor.Tensor {
		h := norm.ForwardT(first.Forward(x), train).Relu()
		return last.Forward(nn.Dropout(0.2).ForwardT(h, train))
	}
	noisy := func(item train.Item, g *random.Generator) (train.Item, error) {
		return train.Item{item[0].Add(g.Normal(0, 0.01, []int{6}, tensor.F32, tensor.CPU())), item[1]}, nil
	}
	data := train.NewLoader(train.Tensors(x, y), train.LoaderOptions{
		Batch: 4, Shuffle: true, Seed: 3, Transform: noisy, Workers: 2, Device: dev})
	adam := nn.NewAdamW(p.Vars(), nn.DefaultAdamW())
	var opt nn.Optimizer = adam
	var step, save int
	if _, err := fmt.Sscanf(killed, "save %d", &save); err == nil {
		opt = killer{adam, new(int), save}
	} else {
		_, _ = fmt.Sscanf(killed, "%d", &step)
	}
	whole := func() (map[string]float64, error) {
		logits := net(x.ToDevice(dev), false)
		return map[string]float64{"right": logits.ArgMax(1).Eq(y.ToDevice(dev)).Mean().ToScalar(), "drawn": g.Normal(0, 1,
			nil, tensor.F32, tensor.CPU()).ToScalar()}, nil
	}
	h, err := train.Fit(train.Config{
		Data: data, Params: p, Optimizer: opt, Epochs: 4, Accumulate: 2,
		Loss: func(b ...*tensor.Tensor) *tensor.Tensor {
			return nn.CrossEntropy(net(b[0], true), b[1])
		},
		Autocast: new(tensor.BF16),
		Schedule: nn.Warmup(0.02, 5, nn.CosineDecay(0.02, 0.001, 20)), EMA: nn.NewEMA(p.Vars(), 0.9),
		Evaluate: whole, EvaluateEvery: 5, Metric: "right", Maximize: true,
		Folder: filepath.Join(folder, "run"), SaveEvery: 3, Resume: true, Random: []*random.Generator{g},
		Log: filepath.Join(folder, "log.jsonl"), LookEvery: 1,
		Each: func(e train.Event) error {
			if e.Step == step {
				kill()
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	if h.Ended != "epochs" {
		return fmt.Errorf("the run ended because of %s", h.Ended)
	}
	fmt.Println("began with step", h.Events[0].Step)
	return nil
}

// start runs the program, and returns what it printed, or that it was killed.
func start(t *testing.T, folder, device, killed string) (printed string, dead bool) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), programFolder+"="+folder, programDevice+"="+device, programKill+"="+killed)
	out, err := c.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok && exit.Sys().(syscall.WaitStatus).Signaled() {
		return "", true
	}
	if err != nil {
		t.Fatalf("the program failed: %v\n%s", err, out)
	}
	return string(out), false
}

// TestResume: a program that is killed several times, between checkpoints and in the middle of one, and started again,
// ends with the bits of one that was not: parameters, running means, optimizer, averages, random numbers and log.
func TestResume(t *testing.T) {
	for _, device := range []string{"cpu", "rocm", "cuda"} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			if thorough.Short() && device == "rocm" {
				t.Skip("programs on an emulated GPU take seconds")
			}
			if _, err := tensor.NewDevice(device); err != nil {
				t.Skip(err)
			}
			whole, parts := t.TempDir(), t.TempDir()
			if printed, dead := start(t, whole, device, ""); dead || !strings.Contains(printed, "began with step 1\n") {
				t.Fatalf("killed %v, printed %s", dead, printed)
			}
			for _, killed := range []string{"4", "save 2", "11", "22"} {
				if _, dead := start(t, parts, device, killed); !dead {
					t.Fatalf("the program was not killed: %s", killed)
				}
			}
			if printed, _ := start(t, parts, device, ""); !strings.Contains(printed, "began with step 22\n") {
				t.Errorf("printed %s", printed)
			}
			compareFolders(t, whole, parts)
		})
	}
}

// compareFolders compares the files of two folders.
func compareFolders(t *testing.T, a, b string) {
	t.Helper()
	as, bs := filesIn(t, a), filesIn(t, b)
	if !slices.Equal(as, bs) || len(as) < 5 {
		t.Fatalf("files %v and %v", as, bs)
	}
	for _, name := range as {
		x, _ := os.ReadFile(filepath.Join(a, name))
		y, _ := os.ReadFile(filepath.Join(b, name))
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", name)
			if strings.Contains(name, "json") {
				t.Logf("%s\n---\n%s", x, y)
			}
		}
	}
}

func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
