package diffusion

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// Scheduler says how noisy a picture is in each step, and makes one that is less noisy of what the UNet says.
type Scheduler struct {
	Kind string // the class of diffusers, such as EulerDiscreteScheduler

	file       *config
	alphas     []float64 // the part of the variance that is the picture's, at each time of the training
	prediction string    // what the UNet says: epsilon, v_prediction or sample
	spacing    string    // of the times of steps: leading, linspace or trailing
	offset     int       // of the times, with leading
	most       int       // steps; 0 for as many as there are times
	plan       func(steps int) *course
	flow       *flow // of flow matching, which has nothing of what is above but Kind and file; else nil
}

// course is how a picture loses its noise.
type course struct {
	times   []float64 // of the training, at which the UNet is asked
	initial float64   // the standard deviation of pictures that are noise alone
	// levels are the standard deviations of the noise at the times in pictures of which the part that is no noise is not
	// scaled down, and one more, of the end; nil where pictures are scaled so that their variance stays.
	levels []float64
	flow   []float64 // of flow matching, the same of pictures of which the rest is scaled down; else nil
	twice  bool      // all times but the first one come twice
	// step makes a picture of the next time of that of time i and what the UNet says of it. Methods that remember what
	// it has said before count calls. noise draws some, for methods that add it.
	step func(i int, said, x *tensor.Tensor, noise func() *tensor.Tensor) *tensor.Tensor
	// alpha is the part of the variance that is the picture's at time i.
	alpha func(i int) float64
}

// input is what the UNet reads of a picture at time i.
func (c *course) input(x *tensor.Tensor, i int) *tensor.Tensor {
	if c.levels == nil {
		return x
	}
	return x.Mul(1 / math.Hypot(c.levels[i], 1))
}

// noised is a picture with the noise of time i.
func (c *course) noised(x, noise *tensor.Tensor, i int) *tensor.Tensor {
	if c.flow != nil {
		return mix(1-c.flow[i], x, c.flow[i], noise)
	}
	if c.levels != nil {
		return mix(1, x, c.levels[i], noise)
	}
	a := c.alpha(i)
	return mix(math.Sqrt(a), x, math.Sqrt(1-a), noise)
}

// mix is a·x + b·y.
func mix(a float64, x *tensor.Tensor, b float64, y *tensor.Tensor) *tensor.Tensor {
	return x.Mul(a).Add(y.Mul(b))
}

// schedulers read what a config has for a method, and say how it goes on.
var schedulers = map[string]func(s *Scheduler, c *config) func(steps int) *course{
	"DDIMScheduler": readDDIM, "PNDMScheduler": readPNDM, "EulerDiscreteScheduler": readEuler,
	"EulerAncestralDiscreteScheduler": readAncestral, "DPMSolverMultistepScheduler": readDPM,
	"UniPCMultistepScheduler": readUniPC, "LCMScheduler": readLCM, "HeunDiscreteScheduler": readHeun,
}

// schedulerKeys are those of all schedulers: a file may have those of another one, which are not used, as with
// diffusers.
var schedulerKeys = []string{"clip_sample", "clip_sample_range", "set_alpha_to_one", "skip_prk_steps", "interpolation_type",
	"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas", "sigma_min", "sigma_max", "timestep_type",
	"final_sigmas_type", "solver_order", "thresholding", "algorithm_type", "solver_type", "lower_order_final",
	"euler_at_final", "use_lu_lambdas", "use_flow_sigmas", "lambda_min_clipped", "variance_type", "use_dynamic_shifting",
	"dynamic_thresholding_ratio", "sample_max_value", "flow_shift", "time_shift_type", "rescale_betas_zero_snr", "predict_x0", "disable_corrector",
	"solver_p", "shift_terminal", "original_inference_steps", "timestep_scaling",
	"timestep_spacing"}

// Schedulers lists the kinds that there are: the one of flow matching is for Transformers, the others for UNets.
func Schedulers() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(schedulers)), flowKind)))
}

// readScheduler reads scheduler/scheduler_config.json.
func readScheduler(folder string) (*Scheduler, error) {
	c, err := readConfig(folder, "scheduler", "scheduler_config.json")
	if err != nil {
		return nil, err
	}
	s, err := newScheduler(value(c, "_class_name", ""), c)
	if err != nil && !slices.Contains(Schedulers(), value(c, "_class_name", "")) {
		err = fmt.Errorf("%w; they read the same file, if it has one of these for _class_name", err)
	}
	return s, err
}

// As returns the scheduler of another kind with the numbers of this one, as from_config of diffusers does:
//
//	p.Scheduler, err = p.Scheduler.As("DPMSolverMultistepScheduler")
//
// Settings come before those of the file. This is what others call DPM++ 2M SDE Karras:
//
//	sde := diffusion.Settings{"algorithm_type": "sde-dpmsolver++", "use_karras_sigmas": true}
//	p.Scheduler, err = p.Scheduler.As("DPMSolverMultistepScheduler", sde)
//
// The error lists the kinds, or names what that kind does not support.
func (s *Scheduler) As(kind string, settings ...Settings) (*Scheduler, error) {
	keys := maps.Clone(s.file.keys)
	for _, list := range settings {
		for key, v := range list {
			data, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("diffusion: the setting %s of a scheduler: %w", key, err)
			}
			keys[key] = data
		}
	}
	return newScheduler(kind, &config{name: s.file.name, keys: keys, read: map[string]bool{}})
}

// Settings are those of a scheduler, by their names in scheduler_config.json.
type Settings map[string]any

// String says which one it is.
func (s *Scheduler) String() string {
	if s.flow != nil {
		return fmt.Sprintf("%s, %v", s.Kind, s.flow)
	}
	return fmt.Sprintf("%s, %s, %s", s.Kind, s.prediction, s.spacing)
}

func newScheduler(kind string, c *config) (*Scheduler, error) {
	if kind == flowKind {
		s := &Scheduler{Kind: kind, file: c, flow: readFlow(c)}
		return s, c.end()
	}
	read := schedulers[kind]
	if read == nil {
		return nil, fmt.Errorf("diffusion: %s: there is no scheduler %q: want one of %s", c.name, kind,
			strings.Join(Schedulers(), ", "))
	}
	s := &Scheduler{Kind: kind, file: c, prediction: value(c, "prediction_type", "epsilon"),
		offset: value(c, "steps_offset", 0)}
	if betas := readBetas(c); len(betas) > 0 {
		s.plan = read(s, c)
		rescaled := value(c, "rescale_betas_zero_snr", false) && kind != "PNDMScheduler" &&
			kind != "HeunDiscreteScheduler"
		s.alphas = products(betas, rescaled,
			kind != "DDIMScheduler" && kind != "LCMScheduler")
	}
	c.ignore(schedulerKeys...)
	return s, c.end()
}

// spaced reads how times are spaced.
func (s *Scheduler) spaced(c *config, usual string) {
	c.only("timestep_spacing", "leading", "linspace", "trailing")
	s.spacing = value(c, "timestep_spacing", usual)
}

// readBetas reads how much noise each time of the training adds.
func readBetas(c *config) []float64 {
	n := c.between("num_train_timesteps", 1000, 1, 1<<20)
	first, last := value(c, "beta_start", 0.0001), value(c, "beta_end", 0.02)
	c.only("beta_schedule", "linear", "scaled_linear", "squaredcos_cap_v2")
	kind := value(c, "beta_schedule", "linear")
	if c.is("trained_betas") {
		betas := values(c, "trained_betas", n, 0.0)
		for _, b := range betas {
			if !(b > 0 && b < 1) && c.err == nil {
				c.fail("trained_betas has %v: want numbers from 0 to 1", b)
			}
		}
		return betas
	}
	betas := make([]float64, n)
	bar := func(t float64) float64 { return math.Pow(math.Cos((t+0.008)/1.008*math.Pi/2), 2) }
	for i := range betas {
		at := float64(i) / math.Max(1, float64(n-1))
		switch kind {
		case "linear":
			betas[i] = first + at*(last-first)
		case "scaled_linear":
			root := math.Sqrt(first) + at*(math.Sqrt(last)-math.Sqrt(first))
			betas[i] = root * root
		default:
			betas[i] = min(1-bar(float64(i+1)/float64(n))/bar(float64(i)/float64(n)), 0.999)
		}
		betas[i] = float64(float32(betas[i]))
		if !(betas[i] > 0 && betas[i] < 1) {
			c.fail("beta_start %v and beta_end %v give a beta of %v: want numbers from 0 to 1", first, last, betas[i])
			return nil
		}
	}
	return betas
}

// products are those of 1 - beta up to each time. With zero they are scaled so that the last picture is noise alone,
// or, with some, nearly so.
func products(betas []float64, zero, some bool) []float64 {
	n := len(betas)
	a, product := make([]float64, n), 1.0
	for i, b := range betas {
		product *= float64(float32(1 - b))
		a[i] = float64(float32(product))
	}
	if !zero {
		return a
	}
	first, last := math.Sqrt(a[0]), math.Sqrt(a[n-1])
	for i := range a {
		root := (math.Sqrt(a[i]) - last) * first / (first - last)
		a[i] = root * root
	}
	if some {
		a[n-1] = 1.0 / (1 << 24)
	}
	return a
}

// times are those of steps, the noisiest first.
func (s *Scheduler) times(steps int) []float64 {
	n, t := len(s.alphas), []float64{}
	switch s.spacing {
	case "leading":
		for i := range steps {
			t = append(t, float64((steps-1-i)*(n/steps)+s.offset))
		}
	case "linspace":
		t = falling(float64(n-1), steps)
	default:
		every := float64(n) / float64(steps)
		for i := range int(math.Ceil(float64(n) / every)) {
			t = append(t, math.RoundToEven(float64(n)-float64(i)*every)-1)
		}
	}
	return t
}

// linspace are n numbers from one to another.
func linspace(from, to float64, n int) []float64 {
	t, every := make([]float64, n), (to-from)/math.Max(1, float64(n-1))
	for i := range t {
		if t[i] = from + float64(i)*every; i > 0 && i == n-1 {
			t[i] = to
		}
	}
	return t
}

// falling is linspace from the last number to 0, computed upwards as numpy does, so that halves are rounded alike.
func falling(last float64, n int) []float64 {
	t := linspace(0, last, n)
	slices.Reverse(t)
	return t
}

func rounded(t []float64) []float64 {
	for i := range t {
		t[i] = math.RoundToEven(t[i])
	}
	return t
}

// begin plans so many steps. It panics with ErrValue for a number of steps that the scheduler cannot take.
func (s *Scheduler) begin(steps int) *course {
	if s.flow != nil {
		fault("%s is for Transformers: want another one", s.Kind)
	}
	fault := func(format string, args ...any) {
		panic(&tensor.Error{Op: "picture", Kind: tensor.ErrValue, Message: fmt.Sprintf(format, args...)})
	}
	most := len(s.alphas)
	if s.most != 0 {
		most = s.most
	}
	if steps < 1 || steps > most {
		fault("%d steps: want 1 to %d", steps, most)
	}
	c := s.plan(steps)
	last := len(s.alphas) - 1
	if s.prediction == "epsilon" && slices.Contains(c.times, float64(last)) && s.alphas[last] == 0 {
		fault("with rescale_betas_zero_snr and prediction_type epsilon nothing can be told of noise alone, at time %d: "+
			"want timestep_spacing leading", last)
	}
	for _, t := range c.times {
		if !(t >= 0 && t <= float64(len(s.alphas)-1)) {
			fault("%d steps with timestep_spacing %s and steps_offset %d begin at time %v, and there are 0 to %d: want fewer steps",
				steps, s.spacing, s.offset, t, len(s.alphas)-1)
		}
	}
	return c
}

// at is a product at a whole time.
func (s *Scheduler) at(t float64) float64 { return s.alphas[int(t)] }

// split returns, of what the UNet says of a picture x with so much of the variance, the picture without noise and the
// noise: the factors of x and of what was said.
func (s *Scheduler) split(alpha float64) (picture, noise [2]float64) {
	a, b := math.Sqrt(alpha), math.Sqrt(1-alpha)
	switch s.prediction {
	case "v_prediction":
		return [2]float64{a, -b}, [2]float64{b, a}
	case "sample":
		return [2]float64{0, 1}, [2]float64{1 / b, -a / b}
	}
	return [2]float64{1 / a, -b / a}, [2]float64{0, 1}
}

// of are the parts of split for x and what was said.
func of(f [2]float64, x, said *tensor.Tensor) *tensor.Tensor {
	switch {
	case f[0] == 0 && f[1] == 1:
		return said
	case f[0] == 0:
		return said.Mul(f[1])
	}
	return mix(f[0], x, f[1], said)
}

// float is a number of a config, which may be infinite.
func float(c *config, key string, usual float64) float64 {
	if !c.is(key) {
		return usual
	}
	var v struct {
		Float string `json:"__float__"`
	}
	if json.Unmarshal(c.keys[key], &v) == nil && v.Float == "-Infinity" {
		return math.Inf(-1)
	}
	return value(c, key, usual)
}
