package distributed

import (
	"fmt"
	"strconv"
	"strings"
)

// slurmHost is the host of rank 0: the first of the job step's list.
func slurmHost(get func(string) string) (string, error) {
	for _, name := range []string{"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"} {
		if list := get(name); list != "" {
			host, ok := firstHost(list)
			if !ok {
				return "", badVariable("MASTER_ADDR", fmt.Sprintf("%s=%.60s is not a list of hosts", name, list))
			}
			return host, nil
		}
	}
	return "", badVariable("MASTER_ADDR", "neither SLURM_STEP_NODELIST nor SLURM_JOB_NODELIST is set, nor MASTER_ADDR")
}

// slurmPort is a port that follows from the number of the job, below those that systems give to outgoing connections.
func slurmPort(get func(string) string) (string, error) {
	job, err := number(get, "SLURM_JOB_ID")
	if err != nil {
		return "", err
	}
	return strconv.Itoa(10000 + job%20000), nil
}

// firstHost is the first host of a list of Slurm's: names with commas between them, in which brackets stand for
// numbers, as in rack[1-2]n[01-04,7],other.
func firstHost(list string) (host string, ok bool) {
	for rest := list; ; {
		end := strings.IndexAny(rest, "[],")
		if end < 0 || rest[end] == ',' {
			if end < 0 {
				end = len(rest)
			}
			host += rest[:end]
			return host, host != "" && !strings.ContainsAny(host, " \t\n:/")
		}
		if rest[end] == ']' {
			return "", false
		}
		host += rest[:end]
		numbers, after, closed := strings.Cut(rest[end+1:], "]")
		first, _, _ := strings.Cut(numbers, ",")
		first, _, _ = strings.Cut(first, "-")
		if _, err := strconv.ParseUint(first, 10, 64); err != nil || !closed {
			return "", false
		}
		host += first
		rest = after
	}
}
