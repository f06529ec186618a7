package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stateful is what checkpoints ask of optimizers: those of package nn have it.
type stateful interface {
	Save(path string) error
	Load(path string) error
}

// The files of a checkpoint, a folder.
const (
	ModelFile     = "model.safetensors" // nn.Params.Load reads it
	OptimizerFile = "optimizer.safetensors"
	EMAFile       = "ema.safetensors"
	stateFile     = "run.json"
)

const (
	checkpointPrefix = "step-"
	unfinished       = "unfinished-" // what a run that was killed may leave
)

// Checkpoints returns the folders of the checkpoints in a run's folder, the last one at the end.
func Checkpoints(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var list []string
	for _, e := range entries {
		var step int
		_, err := fmt.Sscanf(e.Name(), checkpointPrefix+"%d", &step)
		if err == nil && e.IsDir() && e.Name() == checkpointName(step) {
			list = append(list, filepath.Join(folder, e.Name()))
		}
	}
	slices.Sort(list)
	return list, err
}

// Best returns the folder of the checkpoint with the best value of Metric in a run's folder.
func Best(folder string) (string, error) {
	list, err := Checkpoints(folder)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", fmt.Errorf("train: %s: there are no checkpoints", folder)
	}
	var s state
	if err := s.read(list[len(list)-1]); err != nil {
		return "", err
	}
	path := filepath.Join(folder, checkpointName(s.BestStep))
	if !s.Evaluated || !slices.Contains(list, path) {
		return "", fmt.Errorf("train: %s: no checkpoint there is known as the best one", folder)
	}
	return path, nil
}

// checkpointName sorts as its number does.
func checkpointName(step int) string { return fmt.Sprintf("%s%010d", checkpointPrefix, step) }

// save writes a checkpoint: to a folder that gets its name when all is in it and on the disk.
func (r *runner) save() error {
	if err := r.look(); err != nil {
		return err
	}
	s := &r.state
	if r.saved == s.Step && !r.savedDue {
		return nil // nothing has changed since
	}
	s.Version, s.Metric, s.LearningRate, s.EMA = stateVersion, r.Metric, r.Optimizer.LearningRate(), r.EMA != nil
	s.Scaler, s.Plateau, s.Random = nil, nil, r.randoms()
	if r.Scaler != nil {
		scaler := r.Scaler.State()
		s.Scaler = &scaler
	}
	if r.Plateau != nil {
		plateau := r.Plateau.State()
		s.Plateau = &plateau
	}
	if err := os.MkdirAll(r.Folder, 0o755); err != nil {
		return err
	}
	name := checkpointName(s.Step)
	temporary := filepath.Join(r.Folder, unfinished+name)
	err := r.fill(temporary)
	if err == nil {
		final := filepath.Join(r.Folder, name)
		if err = os.RemoveAll(final); err == nil { // of this step, before its evaluation
			err = os.Rename(temporary, final)
		}
	}
	if err = errors.Join(err, syncFile(r.Folder)); err != nil {
		return fmt.Errorf("train: checkpoint of step %d: %w", s.Step, errors.Join(err, os.RemoveAll(temporary)))
	}
	r.saved, r.savedDue = s.Step, s.Due
	return errors.Join(r.log.sync(), r.prune())
}

// fill writes the files of a checkpoint.
func (r *runner) fill(folder string) error {
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o755)); err != nil {
		return err
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	files := []string{ModelFile, OptimizerFile}
	err := errors.Join(r.Params.Save(at(ModelFile)), r.Optimizer.(stateful).Save(at(OptimizerFile)))
	if r.EMA != nil {
		err = errors.Join(err, r.EMA.Save(at(EMAFile)))
		files = append(files, EMAFile)
	}
	r.state.Files = map[string]string{}
	for _, name := range files {
		if err == nil {
			r.state.Files[name], err = hashOf(at(name))
		}
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(at(stateFile), append(text, '\n'), 0o644); err != nil {
		return err
	}
	for _, name := range append(files, stateFile, ".") {
		if err := syncFile(at(name)); err != nil {
			return err
		}
	}
	return nil
}

// prune removes checkpoints but the last ones and the best one.
func (r *runner) prune() error {
	list, err := Checkpoints(r.Folder)
	if err != nil {
		return err
	}
	best := filepath.Join(r.Folder, checkpointName(r.state.BestStep))
	for _, path := range list[:max(0, len(list)-r.Keep)] {
		if path != best || !r.state.Evaluated {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// begin goes on from the last checkpoint, or begins anew.
func (r *runner) begin() error {
	r.state.Loader = r.Data.State()
	r.saved = -1
	if r.Folder != "" {
		list, err := Checkpoints(r.Folder)
		if err != nil {
			return err
		}
		if err := r.removeUnfinished(); err != nil {
			return err
		}
		switch {
		case len(list) > 0 && !r.Resume:
			return fmt.Errorf("train: %s has checkpoints, the last one %s: Resume goes on from it, and another Folder "+
				"begins anew", r.Folder, filepath.Base(list[len(list)-1]))
		case len(list) > 0:
			if err := r.restore(list[len(list)-1]); err != nil {
				return err
			}
		}
	}
	var err error
	r.log, err = openLog(r.Log, r.state.Step, r.state.Due)
	return err
}

// restore sets everything to what a checkpoint has.
func (r *runner) restore(folder string) error {
	var s state
	if err := s.read(folder); err != nil {
		return err
	}
	switch n := len(r.generators()); {
	case s.EMA != (r.EMA != nil), (s.Scaler != nil) != (r.Scaler != nil), (s.Plateau != nil) != (r.Plateau != nil):
		return fmt.Errorf("train: %s: it was written by a run with other parts: EMA %v, Scaler %v, Plateau %v", folder,
			s.EMA, s.Scaler != nil, s.Plateau != nil)
	case len(s.Random) != n:
		return fmt.Errorf("train: %s: it has the states of %d generators of random numbers, and the run has %d", folder,
			len(s.Random), n)
	case s.Metric != r.Metric:
		return fmt.Errorf("train: %s: its best value is of %q, not of %q", folder, s.Metric, r.Metric)
	}
	for name, want := range s.Files {
		if got, err := hashOf(filepath.Join(folder, name)); err != nil {
			return err
		} else if got != want {
			return fmt.Errorf("train: %s: %s is not what was written: remove this checkpoint to go on from the one before",
				folder, name)
		}
	}
	err := r.Params.Load(filepath.Join(folder, ModelFile))
	if err == nil {
		err = r.Optimizer.(stateful).Load(filepath.Join(folder, OptimizerFile))
	}
	if err == nil && r.EMA != nil {
		err = r.EMA.Load(filepath.Join(folder, EMAFile))
	}
	if err != nil {
		return fmt.Errorf("train: %s: %w", folder, err)
	}
	r.Optimizer.SetLearningRate(s.LearningRate)
	if r.Scaler != nil {
		r.Scaler.SetState(*s.Scaler)
	}
	if r.Plateau != nil {
		r.Plateau.SetState(*s.Plateau)
	}
	r.setRandoms(s.Random)
	r.state, r.saved, r.savedDue = s, s.Step, s.Due
	return nil
}

func (r *runner) removeUnfinished() error {
	entries, err := os.ReadDir(r.Folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished+checkpointPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(r.Folder, e.Name())))
		}
	}
	return err
}

// read reads the run.json of a checkpoint.
func (s *state) read(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, stateFile))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, s); err != nil {
		return fmt.Errorf("train: %s: %s: %w", folder, stateFile, err)
	}
	if s.Version != stateVersion {
		return fmt.Errorf("train: %s: a checkpoint of version %d, and %d is read", folder, s.Version, stateVersion)
	}
	if s.Step < 0 || s.Loader.Epoch < 0 || s.Loader.Batch < 0 || s.Files[ModelFile] == "" ||
		s.Files[OptimizerFile] == "" {
		return fmt.Errorf("train: %s: %s makes no sense", folder, stateFile)
	}
	return nil
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// syncFile has the disk hold what was written to a file or folder.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
