package compile

import (
	"fmt"
	"regexp"
	"strings"
)

// HostUse is something in a source that only a program on the host can have.
type HostUse struct {
	What string // main, hipMalloc, scale<<<…>>>
	Line int    // from 1
}

// String names the use with its line.
func (u HostUse) String() string { return fmt.Sprintf("%s (line %d)", u.What, u.Line) }

// hostCall matches functions of the HIP and CUDA runtimes; hipThreadIdx_x and its like are for kernels.
var hostCall = regexp.MustCompile(`^(hip|cuda)[A-Z]\w*[a-z]$|^HIP_CHECK$|^hipLaunchKernelGGL$`)

// HostPart lists what a source has for the host: main, launches, and calls of the runtime, each name once.
func HostPart(source string) (list []HostUse) {
	tokens, _ := cTokens(source)
	seen := map[string]bool{}
	add := func(what string, at int) {
		if !seen[what] {
			seen[what] = true
			list = append(list, HostUse{what, LineAt(source, at)})
		}
	}
	text := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].text
	}
	for i, t := range tokens {
		switch {
		case t.text == "main" && text(i-1) == "int" && text(i+1) == "(":
			add("main", t.at)
		case strings.HasPrefix(source[t.at:], "<<<") && text(i-1) != "<":
			add(launchedName(tokens[:i])+"<<<…>>>", t.at)
		case hostCall.MatchString(t.text) && text(i+1) == "(":
			add(t.text, t.at)
		}
	}
	return list
}

// launchedName is the name before <<<, without the arguments of a template.
func launchedName(tokens []cToken) string {
	i := len(tokens) - 1
	if i >= 0 && tokens[i].text == ">" {
		for depth := 0; i >= 0; i-- {
			switch tokens[i].text {
			case ">":
				depth++
			case "<":
				depth--
			}
			if depth == 0 {
				i--
				break
			}
		}
	}
	if i < 0 || !isWordByte(tokens[i].text[0]) {
		return "kernel"
	}
	return tokens[i].text
}

// textureName matches types and functions of textures and surfaces.
var textureName = regexp.MustCompile(`^(hip|cuda)(Texture|Surface)\w*$|^tex(1D|2D|3D|Cubemap)\w*$|^surf(1D|2D|3D|Cubemap)\w*$|^texture$`)

// Textures lists the names of textures and surfaces that a source uses, each once.
func Textures(source string) (list []HostUse) {
	tokens, _ := cTokens(source)
	seen := map[string]bool{}
	for i, t := range tokens {
		if !textureName.MatchString(t.text) || seen[t.text] ||
			t.text == "texture" && (i+1 >= len(tokens) || tokens[i+1].text != "<") {
			continue
		}
		seen[t.text] = true
		list = append(list, HostUse{t.text, LineAt(source, t.at)})
	}
	return list
}
