package gfx12

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/asm"
)

// CacheText writes how an access uses the caches: its temporal hint and its scope, as LLVM does.
func (a *Access) CacheText(name string) string { return cacheText(name, a.TH, a.Scope) }

func cacheText(name string, th, scope uint32) (text string) {
	if th != 0 {
		text = " th:TH_" + hint(name, th, scope)
	}
	if scope != ScopeCU {
		text += " scope:SCOPE_" + [...]string{"CU", "SE", "DEV", "SYS"}[scope]
	}
	return text
}

// Text writes an operation on caches.
func (l *Load) Text() string {
	offset := fmt.Sprintf("%#x, %s, %d", l.Offset, asm.Scalar(l.Scalar, 1), l.Dst)
	switch {
	case strings.HasSuffix(l.Name, "_pc_rel"):
		return l.Name + " " + offset
	case strings.HasPrefix(l.Name, "s_prefetch"):
		return fmt.Sprintf("%s %s, %s", l.Name, asm.Scalar(l.Base, 2), offset)
	case strings.HasPrefix(l.Name, "s_buffer"):
		return fmt.Sprintf("%s %s, %s", l.Name, asm.Scalar(l.Base, 4), offset)
	}
	return l.Name
}

// hint is a temporal hint. What its bits mean depends on the kind of instruction.
func hint(name string, th, scope uint32) string {
	if strings.HasPrefix(name, "atomic") {
		switch {
		case th&4 != 0 && scope >= ScopeDevice:
			return "ATOMIC_CASCADE_" + [...]string{"RT", "NT"}[th>>1&1]
		case th&4 != 0:
			return fmt.Sprintf("ATOMIC_%#x", th)
		}
		return "ATOMIC_" + [...]string{"", "RETURN", "NT", "NT_RETURN"}[th]
	}
	kind, third := "LOAD_", "LU"
	if strings.HasPrefix(name, "store") {
		kind, third = "STORE_", "RT_WB"
	}
	if scope == ScopeSystem {
		third = "BYPASS"
	}
	return kind + [...]string{"RT", "NT", "HT", third, "NT_RT", "RT_NT", "NT_HT", "NT_WB"}[th]
}
