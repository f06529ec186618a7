package modules

import (
	"fmt"
	"strings"
)

// Notes says, a line for each package, what of the packages cannot be interpreted although they can be imported. It is
// empty when all of them can.
func Notes(pkgs []*Checked) []string {
	const most = 3
	var r []string
	for _, p := range pkgs {
		var names []string
		for _, o := range p.Obstacles {
			if !o.StandIn {
				names = append(names, o.String())
			}
		}
		if len(names) == 0 {
			continue
		}
		more := ""
		if n := len(names); n > most {
			names, more = names[:most], fmt.Sprintf(", and %d more", n-most)
		}
		r = append(r, fmt.Sprintf("%s cannot be interpreted in full: %s%s", p.Path, strings.Join(names, ", "), more))
	}
	return r
}
