package emulator

import "fmt"

// kernelMeta is what the metadata of a code object says about one kernel.
type kernelMeta struct {
	name, symbol string
	explicit     uint64 // bytes of explicit arguments: where the caller's buffer ends at most
	hidden       []hiddenArg
	kernargSize  uint64
	maxThreads   uint64 // per workgroup
	reqd         [3]uint32
	dynamicStack bool
	uniform      bool
}

// hiddenArg is an argument that the runtime appends: launch geometry and the like.
type hiddenArg struct {
	kind         string
	offset, size uint64
}

// parseMetadata reads the contents of an NT_AMDGPU_METADATA note.
func parseMetadata(note []byte) ([]kernelMeta, error) {
	v, err := decodeMsgpack(note)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("metadata is not a map")
	}
	list, _ := root["amdhsa.kernels"].([]any)
	kernels := make([]kernelMeta, 0, len(list))
	for i, v := range list {
		k, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("metadata of kernel %d is not a map", i)
		}
		m, err := parseKernel(k)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, m)
	}
	return kernels, nil
}

func parseKernel(k map[string]any) (kernelMeta, error) {
	m := kernelMeta{maxThreads: 1024}
	m.name, _ = k[".name"].(string)
	m.symbol, _ = k[".symbol"].(string)
	if m.name == "" || m.symbol == "" {
		return m, fmt.Errorf("metadata: a kernel without .name or .symbol")
	}
	m.kernargSize, _ = k[".kernarg_segment_size"].(uint64)
	if m.kernargSize > 64<<10 {
		return m, fmt.Errorf("metadata: kernel %s has a kernarg segment of %d bytes", m.name, m.kernargSize)
	}
	if n, ok := k[".max_flat_workgroup_size"].(uint64); ok && n > 0 {
		m.maxThreads = n
	}
	m.dynamicStack, _ = k[".uses_dynamic_stack"].(bool)
	if n, ok := k[".uniform_work_group_size"].(uint64); ok {
		m.uniform = n != 0
	}
	if r, ok := k[".reqd_workgroup_size"].([]any); ok && len(r) == 3 {
		for i := range r {
			n, _ := r[i].(uint64)
			m.reqd[i] = uint32(n)
		}
	}
	args, _ := k[".args"].([]any)
	for i, v := range args {
		a, _ := v.(map[string]any)
		kind, _ := a[".value_kind"].(string)
		offset, _ := a[".offset"].(uint64)
		size, _ := a[".size"].(uint64)
		if kind == "" || offset > m.kernargSize || size > m.kernargSize-offset {
			return m, fmt.Errorf("metadata: kernel %s: argument %d (%q, offset %d, %d bytes) does not fit a kernarg segment of %d bytes",
				m.name, i, kind, offset, size, m.kernargSize)
		}
		if len(kind) > 7 && kind[:7] == "hidden_" {
			m.hidden = append(m.hidden, hiddenArg{kind, offset, size})
		} else {
			m.explicit = max(m.explicit, offset+size)
		}
	}
	return m, nil
}
