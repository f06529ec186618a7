package kernels

import (
	"fmt"
	"strings"
)

func scatterKernels() (ks []kernel) {
	for _, i := range indexTypes {
		for _, b := range widths {
			ks = append(ks, kernel{"set", fmt.Sprintf("scatter_%s_%s", i, b), fmt.Sprintf("SCATTER(%s, %s)", i, b)})
		}
	}
	for _, i := range indexTypes {
		for _, t := range sumTypes {
			ks = append(ks, kernel{"add", fmt.Sprintf("scatter_add_%s_%s", i, t),
				fmt.Sprintf("SCATTER_ADD(%s, %s)", i, t)})
		}
	}
	for _, i := range indexTypes {
		for _, b := range widths {
			ks = append(ks, kernel{"sorted_" + i.String(), fmt.Sprintf("scatter_sorted_%s_%s", i, b),
				fmt.Sprintf("SCATTER_SORTED(%s, %s)", i, b)})
		}
		for _, t := range sumTypes {
			ks = append(ks, kernel{"sorted_" + i.String(), fmt.Sprintf("scatter_add_sorted_%s_%s", i, t),
				fmt.Sprintf("SCATTER_ADD_SORTED(%s, %s)", i, t)})
		}
	}
	for _, join := range []string{"mul", "maximum", "minimum"} {
		for _, t := range Scattered {
			for _, form := range []string{"", "_sorted"} {
				ks = append(ks, kernel{"join", fmt.Sprintf("scatter_%s%s_i64_%s", join, form, t),
					fmt.Sprintf("SCATTER_%s(i64, %s)", strings.ToUpper(join+form), t)})
			}
		}
	}
	return ks
}

// Scattered are the types with kernels that multiply at ids of I64, or take maxima or minima. Others are converted to
// one of them.
var Scattered = []DType{I64, U64, F32, F64}

// ScatterTo is the type of Scattered in which elements of type t are joined.
func ScatterTo(t DType) DType {
	switch {
	case t == U64 || t == F64:
		return t
	case t.IsFloat():
		return F32
	}
	return I64
}
