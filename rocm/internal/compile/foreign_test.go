package compile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// bundleOf writes a bundle as clang-offload-bundler does.
func bundleOf(objects ...bundled) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(bundleMagic), uint64(len(objects)+1))
	at := uint64(4096)
	entry := func(name string, size int) {
		b = binary.LittleEndian.AppendUint64(b, at)
		b = binary.LittleEndian.AppendUint64(b, uint64(size))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(name)))
		b = append(b, name...)
		at += uint64(size)
	}
	entry("host-x86_64-unknown-linux--", 0)
	for _, o := range objects {
		entry("hipv4-amdgcn-amd-amdhsa--"+o.target, len(o.object))
	}
	b = append(b, make([]byte, 4096-len(b))...)
	for _, o := range objects {
		b = append(b, o.object...)
	}
	return b
}

// compressedBundle compresses a bundle, in each version of the header.
func compressedBundle(plain []byte, version, method uint16) []byte {
	var data bytes.Buffer
	if method == 0 {
		z := zlib.NewWriter(&data)
		z.Write(plain)
		z.Close()
	} else {
		z, _ := zstd.NewWriter(&data)
		z.Write(plain)
		z.Close()
	}
	b := binary.LittleEndian.AppendUint16([]byte(compressedMagic), version)
	b = binary.LittleEndian.AppendUint16(b, method)
	size := uint64(len(plain))
	switch total := uint64(data.Len()); version {
	case 1:
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
	case 2:
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(total+24)), uint32(size))
	case 3:
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, total+32), size)
	}
	return append(append(b, "checksum"...), data.Bytes()...)
}

func TestPickObject(t *testing.T) {
	names := []string{"gfx90a:sramecc+:xnack-", "gfx90a:xnack+", "gfx1100", "gfx11-generic", "gfx9-4-generic", "gfx90a"}
	var list []bundled
	for _, n := range names {
		list = append(list, bundled{n, []byte("code for " + n)})
	}
	plain := bundleOf(list...)
	forms := map[string][]byte{"plain": plain}
	for version := range uint16(3) {
		for method, name := range []string{"zlib", "zstd"} {
			forms[name+string(rune('1'+version))] = compressedBundle(plain, version+1, uint16(method))
		}
	}
	for form, data := range forms {
		for _, c := range []struct{ gpu, want string }{
			{"gfx1100", "gfx1100"}, {"gfx1100:wave64", "gfx1100"}, {"gfx1102", "gfx11-generic"},
			{"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"}, {"gfx90a:sramecc+:xnack+", "gfx90a:xnack+"},
			{"gfx90a:sramecc-:xnack-", "gfx90a"}, {"gfx942:sramecc+:xnack-", "gfx9-4-generic"},
		} {
			object, err := PickObject(data, c.gpu)
			if err != nil || string(object) != "code for "+c.want {
				t.Errorf("%s, %s: %q, %v", form, c.gpu, object, err)
			}
		}
	}
	_, err := PickObject(plain, "gfx1030")
	want := "rocm: : there is no code object for gfx1030: it has gfx90a:sramecc+:xnack-, gfx90a:xnack+, gfx1100, gfx11-generic, gfx9-4-generic, gfx90a\n" +
		"  compile it for this GPU, too: --offload-arch=gfx1030"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	for name, data := range map[string][]byte{
		"cut":              plain[:3000],
		"cut in the names": plain[:60],
		"cut compressed":   forms["zstd2"][:100],
		"method":           append([]byte("CCOB\x02\x00\x09\x00"), make([]byte, 40)...),
		"version":          append([]byte("CCOB\x09\x00\x01\x00"), make([]byte, 40)...),
		"size":             append([]byte("CCOB\x03\x00\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff"), bytes.Repeat([]byte{255}, 40)...),
		"empty":            nil,
		"host":             hostELF(t),
	} {
		if object, err := PickObject(data, "gfx1100"); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %q, %v", name, object, err)
		}
	}
}

// hostELF is a program without kernels: this test.
func hostELF(t *testing.T) []byte {
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	return data
}

func TestPickObjectShipped(t *testing.T) {
	object, err := os.ReadFile("../../testdata/kernels.gfx1100.co")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := PickObject(object, "gfx1100"); err != nil || !bytes.Equal(got, object) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := PickObject(object, "gfx90a:sramecc+:xnack-"); err == nil || !strings.Contains(err.Error(), "it has gfx1100") {
		t.Errorf("for another GPU: %v", err)
	}
	kernels, variables, err := DescribeObject(object)
	if err != nil || len(kernels) < 4 || len(variables) != 0 {
		t.Errorf("%+v, %q, %v", kernels, variables, err)
	}
	for _, k := range kernels {
		if k.Symbol == "echo" && (len(k.Params) != 8 || k.Params[6].Size != 48 || k.Offsets[7] != 88 || !k.Params[0].Pointer || k.Problem != "") {
			t.Errorf("echo: %+v", k)
		}
	}
}

// TestNamedKernel reads the types of parameters from symbols that clang has made.
func TestNamedKernel(t *testing.T) {
	for _, c := range []struct{ symbol, name, params string }{
		{"plain", "plain", ""},
		{"_Z5saxpyfPKfPfj", "saxpy", "float; const float *; float *; unsigned int"},
		{"_Z5saxpyPKfS0_Pm", "saxpy", "const float *; const float *; unsigned long *"},
		{"_ZN2ns5saxpyIfEEvT_PKS1_PS1_j", "ns::saxpy<float>", "float; const float *; float *; unsigned int"},
		{"_Z1kv", "k", ""},
		{"_Z1kP15HIP_vector_typeIfLj4EE4PairDF16_", "k", "HIP_vector_type<float, 4u> *; Pair; _Float16"},
		{"_Z1kPPfx", "k", "float* *; long long"},
		{"_Z99", "_Z99", ""},
	} {
		k := NamedKernel(c.symbol)
		var list []string
		for _, p := range k.Params {
			list = append(list, p.String())
		}
		if got := strings.Join(list, "; "); k.Name != c.name || got != c.params {
			t.Errorf("%s: %s(%s), want %s(%s)", c.symbol, k.Name, got, c.name, c.params)
		}
	}
}

// FuzzPickObject: foreign bytes are a code object or an error.
func FuzzPickObject(f *testing.F) {
	object, err := os.ReadFile("../../testdata/kernels.gfx1100.co")
	if err != nil {
		f.Fatal(err)
	}
	small := bundleOf(bundled{"gfx1100", []byte("code")}, bundled{"gfx90a:xnack+", []byte("other")})
	f.Add(object)
	f.Add(small)
	f.Add(compressedBundle(small, 2, 1))
	f.Add(compressedBundle(small, 3, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		picked, err := PickObject(data, "gfx1100")
		if err != nil {
			return
		}
		kernels, _, err := DescribeObject(picked)
		if err != nil {
			return
		}
		for _, k := range kernels {
			if k.Base(); k.Problem == "" && len(k.Params) != len(k.Offsets) {
				t.Errorf("%+v", k)
			}
		}
	})
}
