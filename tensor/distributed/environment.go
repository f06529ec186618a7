package distributed

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// Process is this process among those of a job.
type Process struct {
	Rank      int    // its number, from 0 to World-1
	LocalRank int    // its number among those of this machine: the GPU that it uses
	World     int    // how many processes the job has, on all machines
	Address   string // HOST:PORT where rank 0 listens while the processes join; empty in a job of one process
}

// Join makes a group of the GPUs of all processes of the job, of which dev is this process's: see the function Join. A
// process that is alone makes a group of one, which needs no network and no library.
func (p Process) Join(dev *tensor.Device) (*Group, error) {
	if p.World == 1 && p.Rank == 0 {
		return New(dev)
	}
	return Join("tcp://"+p.Address, p.Rank, p.World, dev)
}

// launcher is a program that starts the processes of a job, with the environment variables in which it numbers them.
type launcher struct {
	name               string
	rank, local, world string
	address, port      func(get func(string) string) (string, error) // nil where only MASTER_ADDR, MASTER_PORT say it
}

// launchers are those that Environment knows, in the order in which it looks for them. mpirun stands before Slurm: in a
// job of Slurm its processes inherit SLURM_PROCID from the batch script. Those with PMI alone stand after it, since
// srun sets PMI_RANK, too.
var launchers = []launcher{
	{"torchrun", "RANK", "LOCAL_RANK", "WORLD_SIZE", nil, nil},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", nil, nil},
	{"Slurm", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", slurmHost, slurmPort},
	{"MPI", "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", nil, nil},
}

// Environment returns this process's place in a job, from the variables that launchers set. It uses the first of
//
//   - RANK, LOCAL_RANK, WORLD_SIZE: gorocm launch, torchrun
//   - OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_LOCAL_RANK, OMPI_COMM_WORLD_SIZE: Open MPI's mpirun
//   - SLURM_PROCID, SLURM_LOCALID, SLURM_NTASKS: Slurm's srun
//   - PMI_RANK, MPI_LOCALRANKID, PMI_SIZE: the mpirun of MPICH and Intel MPI
//
// of which the first variable is set. Without any, the process is alone: rank 0 of 1. The address is
// MASTER_ADDR:MASTER_PORT. Where Slurm is the launcher and they are not set, it is the first host of
// SLURM_STEP_NODELIST or SLURM_JOB_NODELIST, and a port from 10000 to 29999 that follows from SLURM_JOB_ID. A variable
// that is missing or wrong is an error that names it.
//
//	p, err := distributed.Environment()
//	dev := Device(fmt.Sprint("rocm:", p.LocalRank))
//	g, err := p.Join(dev)
func Environment() (Process, error) { return environment(os.Getenv) }

func environment(get func(string) string) (Process, error) {
	for _, l := range launchers {
		if get(l.rank) != "" {
			return l.process(get)
		}
	}
	if get("WORLD_SIZE") != "" { // a job in which RANK was forgotten must not become many processes alone
		return Process{}, badVariable("RANK", "WORLD_SIZE is set, and RANK is not")
	}
	return Process{World: 1}, nil
}

// process reads the variables of a launcher.
func (l launcher) process(get func(string) string) (p Process, err error) {
	for _, v := range []struct {
		name string
		to   *int
	}{{l.rank, &p.Rank}, {l.local, &p.LocalRank}, {l.world, &p.World}} {
		if *v.to, err = number(get, v.name); err != nil {
			return Process{}, err
		}
	}
	if p.World < 1 {
		return Process{}, badVariable(l.world, fmt.Sprintf("%s=%d: a job has at least one process", l.world, p.World))
	}
	if p.Rank >= p.World {
		return Process{}, badVariable(l.rank, fmt.Sprintf("%s=%d is not below %s=%d", l.rank, p.Rank, l.world, p.World))
	}
	if p.LocalRank >= p.World {
		return Process{}, badVariable(l.local, fmt.Sprintf("%s=%d is not below %s=%d", l.local, p.LocalRank, l.world,
			p.World))
	}
	if p.World == 1 {
		return p, nil
	}
	host, err := l.value(get, "MASTER_ADDR", "the host of rank 0", l.address)
	if err != nil {
		return Process{}, err
	}
	port, err := l.value(get, "MASTER_PORT", "a free port there, such as 29500", l.port)
	if err != nil {
		return Process{}, err
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return Process{}, badVariable("MASTER_PORT", fmt.Sprintf("MASTER_PORT=%s is not a port from 1 to 65535", port))
	}
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]" // an IPv6 address
	}
	p.Address = host + ":" + port
	return p, nil
}

// value is that of a variable, or what stands for it in the launcher's own.
func (l launcher) value(
	get func(string) string, name, what string, own func(get func(string) string) (string, error),
) (string, error) {
	if v := get(name); v != "" {
		return v, nil
	}
	if own != nil {
		return own(get)
	}
	return "", badVariable(name,
		fmt.Sprintf("%s is not set, in a job of several processes of %s: it is %s", name, l.name, what))
}

// number reads a variable with a number from 0.
func number(get func(string) string, name string) (int, error) {
	text := get(name)
	n, err := strconv.ParseUint(text, 10, 31)
	switch {
	case text == "":
		return 0, badVariable(name, name+" is not set, and the other variables of its launcher are")
	case err != nil:
		return 0, badVariable(name, fmt.Sprintf("%s=%.40s is not a whole number from 0", name, text))
	}
	return int(n), nil
}

// badVariable is the error of a variable that is wrong or missing.
func badVariable(name, message string) error {
	return &tensor.Error{Op: "environment", Kind: tensor.ErrValue, Message: message,
		Notes: []string{"gorocm launch and torchrun set RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT"}}
}
