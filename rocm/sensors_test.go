package rocm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

func TestSensorsOfAMD(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hwmon/hwmon4/temp1_input": "54321\n", "hwmon/hwmon4/power1_input": "215000000\n", "hwmon/hwmon4/freq1_input": "2371000000\n",
		"gpu_busy_percent": "98\n", "mem_info_vram_used": "1073741824\n", "mem_info_vram_total": "25753026560\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := amdgpuSensors(dir)
	want := Sensors{Temperature: 54.321, Power: 215, Clock: 2371, Busy: 98, MemoryUsed: 1 << 30, MemoryTotal: 25753026560, Missing: []string{"memory clock"}}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, %v, want %+v", s, err, want)
	}
	if got, want := s.String(), "54 °C, 215 W, 98 % busy, 2371 MHz, 1 GiB of 23.98 GiB in use, no memory clock"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s, err := amdgpuSensors(t.TempDir()); err != nil || s.String() != "no temperature, power, clock, memory clock, busy, memory, memory in all" {
		t.Errorf("no files: %q, %v", s, err)
	}
	if _, err := amdgpuSensors(filepath.Join(dir, "0000:99:00.0")); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "the system shows no ") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := ReadSensors(Info{Platform: Emulated}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("emulated: %v", err)
	}
}

func TestSensorsOfNVIDIA(t *testing.T) {
	thorough.Slow(t)
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc)")
	}
	dir := t.TempDir()
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-Wall", "-o", filepath.Join(dir, childtest.File("libnvidia-ml.so.1")), "testdata/fakenvml.c").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	childtest.Run(t, "TestNVMLChild", "GOROCM_LIBRARY_PATH="+dir)
}

func TestNVMLChild(t *testing.T) {
	childtest.Only(t)
	var inject func(name string, code, times int32)
	standIn(t, "libnvidia-ml.so.1", "fakenvml_inject", &inject)
	s, err := nvmlSensors("0000:3A:00.0")
	if want := "54 °C, 322 W, 97 % busy, 1980 MHz, memory at 2619 MHz, 50 GiB of 150 GiB in use"; err != nil || s.String() != want {
		t.Errorf("%q, %v, want %q", s, err, want)
	}
	for call, missing := range map[string]string{"nvmlDeviceGetTemperature": "temperature", "nvmlDeviceGetPowerUsage": "power", "nvmlDeviceGetUtilizationRates": "busy", "nvmlDeviceGetMemoryInfo": "memory"} {
		inject(call, 3, 1)
		if s, err := nvmlSensors("0000:3A:00.0"); err != nil || !reflect.DeepEqual(s.Missing, []string{missing}) {
			t.Errorf("%s: %+v, %v", call, s, err)
		}
	}
	if _, err := nvmlSensors("0000:99:00.0"); err == nil || err.Error() != "rocm: nvmlDeviceGetHandleByPciBusId_v2: NVML_ERROR_NOT_FOUND (6)" {
		t.Errorf("another GPU: %v", err)
	}
}
