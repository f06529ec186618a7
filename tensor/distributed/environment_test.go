package distributed

import (
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// variables are those of a line such as A=1 B=2.
func variables(line string) func(string) string {
	values := map[string]string{}
	for _, field := range strings.Fields(line) {
		name, value, _ := strings.Cut(field, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

func TestEnvironment(t *testing.T) {
	const at = " MASTER_ADDR=node1 MASTER_PORT=29500"
	for line, want := range map[string]Process{
		"":                                      {0, 0, 1, ""},
		"RANK=0 LOCAL_RANK=0 WORLD_SIZE=1":      {0, 0, 1, ""},
		"RANK=5 LOCAL_RANK=1 WORLD_SIZE=8" + at: {5, 1, 8, "node1:29500"},
		"RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 MASTER_ADDR=fe80::1 MASTER_PORT=1": {1, 1, 2, "[fe80::1]:1"},
		"SLURM_PROCID=3 SLURM_LOCALID=1 SLURM_NTASKS=4 SLURM_STEP_NODELIST=n[07-08] SLURM_JOB_NODELIST=n[01-08] SLURM_JOB_ID=4020001": {
			3, 1, 4, "n07:10001"},
		"SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=2 SLURM_JOB_NODELIST=a,b SLURM_JOB_ID=7": {0, 0, 2, "a:10007"},
		"SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=2 SLURM_JOB_NODELIST=a,b" + at:           {0, 0, 2, "node1:29500"},
		"SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=1":                                       {0, 0, 1, ""},
		"SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_JOB_NODELIST=a":                                  {0, 0, 1, ""}, // a shell of salloc
		"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_SIZE=2" + at:     {1, 1, 2, "node1:29500"},
		"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_SIZE=2 SLURM_PROCID=0 SLURM_NTASKS=1" + at: {
			1, 1, 2, "node1:29500"},
		"PMI_RANK=2 MPI_LOCALRANKID=0 PMI_SIZE=3" + at: {2, 0, 3, "node1:29500"},
	} {
		if got, err := environment(variables(line)); got != want || err != nil {
			t.Errorf("%s\ngives %+v, %v, want %+v", line, got, err, want)
		}
	}
}

// TestEnvironmentMistakes: an error names the variable.
func TestEnvironmentMistakes(t *testing.T) {
	const slurm, torch = "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=2 ", "RANK=0 LOCAL_RANK=0 WORLD_SIZE=2 "
	for line, want := range map[string]string{
		"WORLD_SIZE=2":                                 "WORLD_SIZE is set, and RANK is not",
		"RANK=0 WORLD_SIZE=2":                          "LOCAL_RANK is not set",
		"RANK=0 LOCAL_RANK=0":                          "WORLD_SIZE is not set",
		"RANK=one LOCAL_RANK=0 WORLD_SIZE=2":           "RANK=one is not a whole number from 0",
		"RANK=-1 LOCAL_RANK=0 WORLD_SIZE=2":            "RANK=-1 is not a whole number from 0",
		"RANK=2 LOCAL_RANK=0 WORLD_SIZE=2":             "RANK=2 is not below WORLD_SIZE=2",
		"RANK=0 LOCAL_RANK=2 WORLD_SIZE=2":             "LOCAL_RANK=2 is not below WORLD_SIZE=2",
		"RANK=0 LOCAL_RANK=0 WORLD_SIZE=0":             "WORLD_SIZE=0: a job has at least one process",
		torch + "MASTER_PORT=1":                        "MASTER_ADDR is not set",
		torch + "MASTER_ADDR=a":                        "MASTER_PORT is not set",
		torch + "MASTER_ADDR=a MASTER_PORT=0":          "MASTER_PORT=0 is not a port",
		torch + "MASTER_ADDR=a MASTER_PORT=http":       "MASTER_PORT=http is not a port",
		slurm + "SLURM_JOB_ID=1":                       "neither SLURM_STEP_NODELIST nor SLURM_JOB_NODELIST is set",
		slurm + "SLURM_JOB_NODELIST=a":                 "SLURM_JOB_ID is not set",
		slurm + "SLURM_JOB_NODELIST=a[ SLURM_JOB_ID=1": "SLURM_JOB_NODELIST=a[ is not a list of hosts",
		"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_SIZE=2": "MASTER_ADDR is not set, in a job of several processes of Open MPI",
	} {
		if p, err := environment(variables(line)); !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngives %+v, %v, want %s", line, p, err, want)
		}
	}
}

func TestFirstHost(t *testing.T) {
	for list, want := range map[string]string{
		"host": "host", "a,b": "a", "host[01-04,7],other": "host01", "host[7,01-04]": "host7",
		"rack[1-2]n[03-04],x": "rack1n03", "n[5]-ib,m": "n5-ib", "node-1.example.org,b": "node-1.example.org",
		"": "", ",b": "", "a[": "", "a]": "", "a[]": "", "a[x]": "", "a[1": "", "a b": "",
	} {
		if got, ok := firstHost(list); got != want && ok || ok != (want != "") {
			t.Errorf("firstHost(%q) = %q, %v, want %q", list, got, ok, want)
		}
	}
}

// FuzzFirstHost: the first host of a list is a name without the list's signs, which is its own first host.
func FuzzFirstHost(f *testing.F) {
	for _, list := range []string{"host[01-04,7],other", "rack[1-2]n[03-04]", "a,b", "a[", "a]b", "a[1]]"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		host, ok := firstHost(list)
		if again, same := firstHost(host); ok && (!same || again != host || strings.ContainsAny(host, "[], :/")) {
			t.Errorf("firstHost(%q) = %q, of which it is %q, %v", list, host, again, same)
		}
	})
}

// TestAlone: a script that no launcher has started works with a group of one, here on an emulated GPU or a real one.
func TestAlone(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	g, err := Process{World: 1}.Join(dev)
	if err != nil {
		t.Fatal(err)
	}
	x := dev.Arange(tensor.F32, 6).Reshape(2, 3)
	for i, y := range []*tensor.Tensor{g.AllReduce(x)[0], g.AllGather(x)[0], g.Broadcast(x)[0]} {
		if !x.Equal(y) {
			t.Errorf("collective %d of a group of one: %v", i, y)
		}
	}
	if g.Rank() != 0 || g.Size() != 1 || g.Library().Problem == "" {
		t.Errorf("rank %d of %d, %+v", g.Rank(), g.Size(), g.Library())
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
