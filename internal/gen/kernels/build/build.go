// Package build compiles kernel families with clang-19 and writes the code objects that package kernels embeds.
package build

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/gorocm/gorocm/kernels"
)

// Arch is the GPU that is emulated, for which code objects are embedded.
const Arch = "gfx1100"

// Flags are clang's flags, but for the architecture. No header and no library of ROCm is used. Neither the path of the
// source nor an identifier made of it gets into the object, so that every machine makes the same one.
var Flags = []string{
	"-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "--no-gpu-bundle-output", "-fuse-cuid=none",
	"-O3", "-std=c++17", "-Wall", "-Werror", "-ffp-contract=off", "-Xoffload-linker", "--strip-all",
}

// ErrNoClang means that clang-19 is not installed.
var ErrNoClang = errors.New("clang-19 is not installed (Debian: apt-get install clang-19 lld-19)")

// Compiler returns the version line of clang-19.
func Compiler() (string, error) {
	path, err := exec.LookPath("clang-19")
	if err != nil {
		return "", ErrNoClang
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("clang-19 --version: %w", err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}

// nvidiaFlags compile the same source for an NVIDIA GPU, as a check without CUDA; at run time NVRTC compiles.
func nvidiaFlags(arch string) []string {
	return []string{
		"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "--cuda-gpu-arch=" + arch, "-Xclang",
		"-target-feature", "-Xclang", "+ptx80",
		// words of CUDA's headers
		"-D__device__=__attribute__((device))", "-D__global__=__attribute__((global))",
		"-D__align__(n)=__attribute__((aligned(n)))", "-D__launch_bounds__(...)=__attribute__((launch_bounds(__VA_ARGS__)))",
		"-S", "-O1", "-std=c++17", "-Wall", "-Wno-unknown-cuda-version", "-Wno-pass-failed", "-Werror", "-ffp-contract=off",
	}
}

// Object compiles a family for an AMD GPU.
func Object(family, arch string) ([]byte, error) {
	return compile(family, arch, append(append([]string{}, Flags...), "--offload-arch="+arch))
}

// PTX compiles a family for an NVIDIA GPU: sm_80, or sm_90a, which has the instructions of kernels/warpgroup.h.
func PTX(family, arch string) ([]byte, error) { return compile(family, arch, nvidiaFlags(arch)) }

// Compile compiles a translation unit for an AMD GPU or, if arch is nvidia, for NVIDIA GPUs.
func Compile(name, source, arch string) ([]byte, error) {
	if arch == "nvidia" {
		return compileSource(name, source, "NVIDIA", nvidiaFlags("sm_80"))
	}
	return compileSource(name, source, arch, append(slices.Clone(Flags), "--offload-arch="+arch))
}

func compile(family, target string, flags []string) ([]byte, error) {
	source, err := kernels.Source(family)
	if err != nil {
		return nil, err
	}
	return compileSource(family, source, target, flags)
}

func compileSource(family, source, target string, flags []string) ([]byte, error) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		return nil, ErrNoClang
	}
	dir, err := os.MkdirTemp("", "gorocm-kernels-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, family+".hip"), []byte(source), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command("clang-19", append(append([]string{}, flags...), family+".hip", "-o", "out")...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("clang-19: %s for %s: %w\n%s", family, target, err, text)
	}
	return os.ReadFile(filepath.Join(dir, "out"))
}

// Manifest records the inputs from which the objects were built.
type Manifest struct {
	Compiler string
	Entries  []Entry
}

// Entry is one family of a manifest.
type Entry struct {
	Family string
	Source string // hash of rendered source, flags and compiler
	Object string // hash of the code object
}

// SourceHash is the hash of all that determines the object of a family. Comments do not: editing one changes no object.
func SourceHash(family, compiler string) (string, error) {
	source, err := kernels.Source(family)
	if err != nil {
		return "", err
	}
	return hash([]byte(compiler + "\x00" + strings.Join(Flags, " ") + "\x00" + Arch + "\x00" +
		withoutComments(source))), nil
}

// withoutComments returns C++ source with no comments, no blank lines and no space at the ends of lines.
func withoutComments(source string) string {
	var code strings.Builder
	for source != "" {
		i := strings.IndexAny(source, `/"'`)
		if i < 0 {
			i = len(source)
		}
		code.WriteString(source[:i])
		source = source[i:]
		if n := comment(source); n > 0 {
			code.WriteByte(' ')
			source = source[n:]
			continue
		}
		n := literal(source)
		code.WriteString(source[:n])
		source = source[n:]
	}
	var lines []string
	for line := range strings.Lines(code.String()) {
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// comment is the length of the comment that a source begins with, or 0.
func comment(source string) int {
	switch {
	case strings.HasPrefix(source, "//"):
		if n := strings.IndexByte(source, '\n'); n >= 0 {
			return n
		}
		return len(source)
	case strings.HasPrefix(source, "/*"):
		if n := strings.Index(source[2:], "*/"); n >= 0 {
			return n + 4
		}
	}
	return 0
}

// literal is the length of the literal that a source begins with, in which what looks like a comment is none. It is 1
// for another character, and 0 for no source.
func literal(source string) int {
	if source == "" || source[0] == '/' {
		return min(len(source), 1)
	}
	for i := 1; i < len(source) && source[i] != '\n'; i++ {
		switch source[i] {
		case '\\':
			i++
		case source[0]:
			return i + 1
		}
	}
	return 1 // no literal: it does not end in its line
}

// ObjectHash is the hash of a code object.
func ObjectHash(object []byte) string { return hash(object) }

func hash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Text returns the manifest as it is stored.
func (m Manifest) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "compiler %s\n", m.Compiler)
	for _, e := range m.Entries {
		fmt.Fprintf(&b, "%s %s %s\n", e.Family, e.Source, e.Object)
	}
	return b.String()
}

// ParseManifest reads what Text returns.
func ParseManifest(text string) (Manifest, error) {
	var m Manifest
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == 0 {
			compiler, ok := strings.CutPrefix(line, "compiler ")
			if !ok {
				return m, fmt.Errorf("manifest: line 1 is %q, want the compiler", line)
			}
			m.Compiler = compiler
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 {
			return m, fmt.Errorf("manifest: line %d is %q, want family, hash of source, hash of object", i+1, line)
		}
		m.Entries = append(m.Entries, Entry{f[0], f[1], f[2]})
	}
	return m, nil
}

// Write compiles the families into dir and records their inputs. A family whose source, flags and compiler are those
// that the record has for the object in dir is left as it is. Objects of families that no longer exist are removed.
func Write(dir string) error {
	compiler, err := Compiler()
	if err != nil {
		return err
	}
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	made, err := current(dir, objectFile)
	if err != nil {
		return err
	}
	m := Manifest{Compiler: compiler}
	keep := map[string]bool{"manifest.txt": true}
	for _, family := range kernels.Families() {
		name := family + objectFile
		keep[name] = true
		source, err := SourceHash(family, compiler)
		if err != nil {
			return err
		}
		if e, ok := made[family]; ok && e.Source == source {
			m.Entries = append(m.Entries, e)
			continue
		}
		object, err := Object(family, Arch)
		if err != nil {
			return err
		}
		if err := writeIfChanged(filepath.Join(dir, name), zip.EncodeAll(object, nil)); err != nil {
			return err
		}
		m.Entries = append(m.Entries, Entry{family, source, ObjectHash(object)})
	}
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range old {
		if !keep[f.Name()] {
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return writeIfChanged(filepath.Join(dir, "manifest.txt"), []byte(m.Text()))
}

// objectFile ends the names of the files of families.
const objectFile = ".hsaco.zst"

// current returns the entries of the manifest in dir whose objects are there, in files with names that end so, and are
// those that it names.
func current(dir, ending string) (map[string]Entry, error) {
	text, err := os.ReadFile(filepath.Join(dir, "manifest.txt"))
	if err != nil {
		return nil, nil // there is none yet
	}
	m, err := ParseManifest(string(text))
	if err != nil {
		return nil, err
	}
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer unzip.Close()
	made := map[string]Entry{}
	for _, e := range m.Entries {
		packed, err := os.ReadFile(filepath.Join(dir, e.Family+ending))
		if err != nil {
			continue
		}
		if object, err := unzip.DecodeAll(packed, nil); err == nil && ObjectHash(object) == e.Object {
			made[e.Family] = e
		}
	}
	return made, nil
}

func writeIfChanged(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
