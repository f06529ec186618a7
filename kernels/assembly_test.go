package kernels_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/internal/occupancy"
)

// measureAssembly reads what the kernels of a listing take, as clang -S writes it: for GPUs that the disassembler of
// clang-19 does not know.
func measureAssembly(text, arch string) (map[string]resources, error) {
	listing := assembled(text)
	_, metadata, ok := strings.Cut(text, "\n\t.amdgpu_metadata\n")
	if !ok {
		return nil, fmt.Errorf("the listing for %s has no .amdgpu_metadata", arch)
	}
	rows := map[string]resources{}
	for _, entry := range strings.Split(metadata, "\n  - .")[1:] {
		if strings.HasPrefix(entry, "address_space") || !strings.Contains(entry, "\n    .name:") {
			continue
		}
		number, name := map[string]int{}, ""
		for line := range strings.Lines("    ." + entry) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			if !strings.HasPrefix(line, "    .") {
				continue // of an argument
			}
			if value = strings.TrimSpace(value); key == ".name" {
				name = value
			}
			number[key], _ = strconv.Atoi(value)
		}
		r := resources{
			vgprs: number[".vgpr_count"], agprs: number[".agpr_count"], spilled: number[".sgpr_spill_count"],
			private: number[".private_segment_fixed_size"], lds: number[".group_segment_fixed_size"],
		}
		r.waves, _, _ = occupancy.Of(arch, number[".wavefront_size"], r.vgprs, r.lds, min(number[".max_flat_workgroup_size"], 256))
		if r.waves == 0 || r.vgprs == 0 || len(listing[name]) == 0 {
			return nil, fmt.Errorf("%q for %s: %d instructions, %d registers, %d waves", name, arch, len(listing[name]), r.vgprs, r.waves)
		}
		r.matrix, r.reloads = listing[name].count()
		rows[name] = r
	}
	return rows, nil
}

// assembled returns the instructions of the functions of a listing. They are at 1, 2 and so on: a listing has labels,
// no addresses.
func assembled(text string) map[string]code {
	listing, labels, name := map[string]code{}, map[string]uint64{}, ""
	branches := map[string]map[int]string{} // the label of each branch
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, ";")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case line[0] != '\t' && strings.HasPrefix(line, ".L"):
			labels[strings.TrimSuffix(fields[0], ":")] = uint64(len(listing[name]) + 1)
		case line[0] != '\t':
			name = strings.TrimSuffix(fields[0], ":")
		case fields[0][0] == '.':
		default:
			if strings.Contains(fields[0], "branch") && len(fields) == 2 {
				if branches[name] == nil {
					branches[name] = map[int]string{}
				}
				branches[name][len(listing[name])] = fields[1]
			}
			listing[name] = append(listing[name], instruction{at: uint64(len(listing[name]) + 1), name: fields[0]})
		}
	}
	for name, to := range branches {
		for i, label := range to {
			listing[name][i].target = labels[label]
		}
	}
	return listing
}
