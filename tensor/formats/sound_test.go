package formats

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// sounds are the files that testdata/sounds.py has written, with their rates, and how far from libsndfile's samples
// they may be: MP3 by the rounding of 16 bits, which is twice as large where channels are sums and differences.
var sounds = []struct {
	name  string
	rate  int
	limit float64
}{
	{"mono16.flac", 16000, 0}, {"stereo24.flac", 8000, 0}, {"six8.flac", 8000, 0},
	{"mono.mp3", 16000, 1e-4}, {"mono48.mp3", 48000, 1e-4}, {"stereo.mp3", 44100, 2e-4}, {"stereo24.mp3", 24000, 2e-4},
	{"mono.opus", 48000, 1e-4}, {"stereo.opus", 48000, 1e-4},
}

// TestSounds compares sounds with what libsndfile decodes of them.
func TestSounds(t *testing.T) {
	golden, err := ReadNpz("testdata/sounds/sounds.npz", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range sounds {
		samples, rate, err := ReadAudio(filepath.Join("testdata/sounds", test.name), tensor.CPU())
		if err != nil {
			t.Error(err)
			continue
		}
		i := slices.IndexFunc(golden, func(n Named) bool { return n.Name == strings.ReplaceAll(test.name, ".", "_") })
		scale := 1.0 / (1 << 15)
		if strings.HasSuffix(test.name, ".flac") {
			scale = 1.0 / (1 << 31)
		}
		want := golden[i].Tensor.ToDType(tensor.F64).Mul(scale).ToDType(tensor.F32)
		if rate != test.rate || !slices.Equal(samples.Dims(), want.Dims()) || samples.DType() != tensor.F32 {
			t.Errorf("%s: %v %v at %d, want %v at %d", test.name, samples.DType(), samples.Dims(), rate, want.Dims(),
				test.rate)
			continue
		}
		if off := samples.Sub(want).Abs().Max().ToScalar(); off > test.limit {
			t.Errorf("%s is off by %g", test.name, off)
		}
	}
}

// TestSoundMistakes: files that are not read, or were cut off, say so.
func TestSoundMistakes(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata/sounds", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	cut := func(name string, n int) []byte { data := read(name); return data[:len(data)-n] }
	flipped := func(name string, at int) []byte { data := read(name); data[at] ^= 0x40; return data }
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "the file is no sound that is read"},
		{"text", []byte("hello, world"), "the file is no sound that is read"},
		{"vorbis", read("vorbis.ogg"), "the sound is Vorbis, which is not read"},
		{"flac cut", cut("mono16.flac", 100), "flac: after "},
		{"flac flipped", flipped("mono16.flac", 3000), "flac: after "},
		{"mp3 cut", cut("stereo.mp3", 1000), "it was cut off"},
		{"opus cut", cut("mono.opus", 10), "the file was cut off"},
		{"opus flipped", flipped("mono.opus", 1500), "the checksum of a page is"},
	} {
		if _, _, err := DecodeAudio(test.data, tensor.CPU()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestSoundTags: an MP3 may begin with tags, and end with one.
func TestSoundTags(t *testing.T) {
	data, err := os.ReadFile("testdata/sounds/mono.mp3")
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := DecodeAudio(data, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	tag := append([]byte("ID3\x04\x00\x00\x00\x00\x02\x00"), make([]byte, 256)...)
	got, _, err := DecodeAudio(slices.Concat(tag, data, []byte("TAG"), make([]byte, 125)), tensor.CPU())
	if err != nil || !got.Equal(want) {
		t.Errorf("with tags: %v", err)
	}
}

// soundLimit is what a damaged small sound may decode to, in samples.
const soundLimit = 1 << 23

// FuzzSound: a damaged sound gives samples or an error, and not many more samples than it had.
func FuzzSound(f *testing.F) {
	for _, test := range sounds {
		data, err := os.ReadFile(filepath.Join("testdata/sounds", test.name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, _, err := DecodeAudio(data, tensor.CPU()); err == nil && x.ElemCount() > soundLimit && len(data) < 1<<14 {
			t.Errorf("%d bytes give %v samples", len(data), x.Dims())
		}
	})
}

// TestDamagedSounds changes bytes of sounds, as FuzzSound does at random.
func TestDamagedSounds(t *testing.T) {
	thorough.Slow(t)
	for i, test := range sounds {
		data, err := os.ReadFile(filepath.Join("testdata/sounds", test.name))
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(data); at += 1 + len(data)/40 {
			damaged := slices.Clone(data)
			damaged[at] ^= byte(1 + 37*at + i)
			for _, d := range [][]byte{damaged, data[:at]} {
				if _, _, err := DecodeAudio(d, tensor.CPU()); err != nil && strings.Contains(err.Error(), "decoder has failed") {
					t.Logf("%s at %d: %v", test.name, at, err)
				}
			}
		}
	}
}
