package kernels

import (
	"fmt"
	"strings"
)

// OptimTensors is the number of tensors in the table of a launch of optim.hip, OptimChunk the number of elements that a
// block takes at a time.
const (
	OptimTensors = 64
	OptimChunk   = 16384
)

// The numbers that grad_control leaves in memory for the steps that follow: see optim.hip.
const (
	ControlFactor   = iota // what gradients are multiplied by
	ControlSkip            // 1 if the step is to change nothing
	ControlOfMean          // 1 / (1 - beta1ⁿ) for the n-th step
	ControlOfSquare        // 1 / (1 - beta2ⁿ)
	ControlNorm            // of all gradients
	ControlSkipped         // how many steps were skipped so far
	ControlCount
)

// The numbers of a step that a captured launch reads from memory, in the order of optim.hip.
const (
	LiveFactor = iota // what gradients are multiplied by
	LiveLimit         // of their elements
	LiveRule          // LiveRuleCount numbers of the rule
)

// Further ones, of grad_control.
const (
	LiveRuleCount = 7
	LiveNorm      = LiveRule + LiveRuleCount + iota - 1 // the limit of the norm
	LiveBeta1
	LiveBeta2
	LiveSteps
	LiveCount
)

func optimKernels() (ks []kernel) {
	for _, t := range Floats {
		for _, name := range []string{"adamw", "nadam", "lion", "sgd", "asgd", "rmsprop", "adagrad", "adadelta",
			"rprop", "grad_scale", "grad_norm"} {
			ks = append(ks, kernel{t.String(), symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
		}
		ks = append(ks, kernel{t.String(), symbol("adam", t), fmt.Sprintf("ADAM_L2(%s)", t)})
	}
	return append(ks, kernel{"control", "grad_control", "GRAD_CONTROL()"})
}
