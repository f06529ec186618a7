package machine

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
)

// genNames has the names of yaegi's generators, by their code.
var genNames sync.Map

// gen is the name of the function that makes what a node runs, which says best what the node does.
func gen(n *Node) string {
	if n.Gen == nil {
		return ""
	}
	pc := reflect.ValueOf(n.Gen).Pointer()
	if s, ok := genNames.Load(pc); ok {
		return s.(string)
	}
	s := runtime.FuncForPC(pc).Name()
	s = s[strings.LastIndex(s, "/")+1:]
	s, _ = strings.CutPrefix(s, "interp.")
	if strings.Contains(s, "isNilChild") { // a closure
		s = "isNilChild"
	}
	genNames.Store(pc, s)
	return s
}
