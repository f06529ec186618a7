package train

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzState: what a run.json has, whatever is in it, is read or refused.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1,"step":3,"loader":{"epoch":1,"batch":2},"files":{"model.safetensors":"a","optimizer.safetensors":"b"}}`))
	f.Add([]byte(`{"version":1,"step":-3}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, stateFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		var s state
		if err := s.read(folder); err == nil && (s.Step < 0 || s.Loader.Batch < 0 || s.Version != stateVersion) {
			t.Errorf("read %+v", s)
		}
	})
}

// FuzzLog: a log with anything in it keeps lines up to the step, or is refused.
func FuzzLog(f *testing.F) {
	f.Add([]byte("step,epoch,batch,learning_rate,name,value\n1,0,0,1,loss,2\n2,0,0,1,evaluation a,2\n3,"), true, 2)
	f.Add([]byte("{\"step\":1}\n{\"step\":2,\"values\":{}}\n{"), false, 1)
	f.Fuzz(func(t *testing.T, text []byte, csv bool, step int) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l := &logger{csv: csv}
		if kept, err := l.kept(path, step, true); err == nil && len(kept) > len(text)+100 {
			t.Errorf("of %d bytes %d were kept", len(text), len(kept))
		}
	})
}
