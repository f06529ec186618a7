package modules

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Notes says, a line for each package, what of the packages cannot be interpreted although they can be imported, or is
// left out because it needs cgo. It is empty when nothing is.
func Notes(pkgs []*Checked) []string {
	const most = 3
	var r []string
	for _, p := range pkgs {
		if len(p.Cgo) > 0 && halved(p.Dir, p.base(), p.Cgo) {
			r = append(r, fmt.Sprintf("%s is here without its files that need cgo: %s", p.Path, shortList(p.Cgo, most)))
		}
		var names []string
		for _, o := range p.Obstacles {
			if !o.StandIn {
				names = append(names, o.String())
			}
		}
		if len(names) == 0 {
			continue
		}
		r = append(r, fmt.Sprintf("%s cannot be interpreted in full: %s", p.Path, shortList(names, most)))
	}
	return r
}

// shortList is a list of names, and how many more there are than most.
func shortList(names []string, most int) string {
	if n := len(names); n > most {
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}

// base are the names of the package's files in its folder.
func (p *Package) base() (names []string) {
	for _, f := range p.Files {
		names = append(names, filepath.Base(f))
	}
	return names
}
