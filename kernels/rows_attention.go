package kernels

import (
	"fmt"
	"strings"
)

// This file lists the kernels of attention.

func attentionKernels() (ks []kernel) {
	for _, t := range []DType{F32, F16, BF16} {
		macro, of64 := "ATTENTION_CORES", "KERNEL2"
		if t == F32 {
			macro, of64 = "ATTENTION", "KERNEL_F32"
		}
		ks = append(ks,
			kernel{t.String(), symbol("attention_64", t), fmt.Sprintf("%s(%s, 64, %s)", macro, t, of64)},
			kernel{t.String(), symbol("attention_128", t), fmt.Sprintf("%s(%s, 128, KERNEL)", macro, t)},
			kernel{t.String(), symbol("attention_256", t), fmt.Sprintf("%s(%s, 256, KERNEL)", macro, t)})
		for _, n := range []int{1, 2, 4} {
			ks = append(ks,
				kernel{"parts_" + t.String(), symbol(fmt.Sprintf("attention_parts_%d", n), t),
					fmt.Sprintf("ATTENTION_PARTS(parts, %s, %d, true)", t, n)},
				kernel{"parts_" + t.String(), symbol(fmt.Sprintf("attention_strided_%d", n), t),
					fmt.Sprintf("ATTENTION_PARTS(strided, %s, %d, false)", t, n)})
		}
	}
	return ks
}

func pagedKernels() (ks []kernel) {
	for _, t := range []DType{F32, F16, BF16} {
		for _, n := range []int{1, 2, 4} {
			ks = append(ks,
				kernel{t.String(), symbol(fmt.Sprintf("paged_attention_%d", n), t),
					fmt.Sprintf("PAGED(attention, %s, %d, true)", t, n)},
				kernel{t.String(), symbol(fmt.Sprintf("paged_strided_%d", n), t),
					fmt.Sprintf("PAGED(strided, %s, %d, false)", t, n)})
		}
	}
	for _, b := range widths {
		ks = append(ks, kernel{"append", "paged_append_" + b, fmt.Sprintf("PAGED_APPEND(%s)", b)})
	}
	return ks
}

func attentionBackwardKernels() (ks []kernel) {
	for _, t := range []DType{F32, F16, BF16} {
		ks = append(ks, kernel{t.String(), symbol("attention_dot", t), fmt.Sprintf("ATTENTION_DOT(%s)", t)})
		for _, size := range []int{64, 128, 256} {
			if t == F32 {
				ks = append(ks, backwardKernels(t, size, "attention", "false, KERNEL", "")...)
				continue
			}
			ks = append(ks, backwardKernels(t, size, "attention", "true", "_CORES")...)
			ks = append(ks, backwardKernels(t, size, "attention_general", "false", "_CORES")...)
		}
	}
	return ks
}

// backwardKernels are those of the gradients of keys and values, and of queries.
func backwardKernels(t DType, size int, prefix, arguments, cores string) (ks []kernel) {
	for _, of := range []string{"keys", "queries"} {
		name := prefix + "_" + of
		ks = append(ks, kernel{t.String(), symbol(fmt.Sprintf("%s_%d", name, size), t),
			fmt.Sprintf("ATTENTION_%s%s(%s, %s, %d, %s)", strings.ToUpper(of), cores, name, t, size, arguments)})
	}
	return ks
}
