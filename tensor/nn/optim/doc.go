// Package optim has optimizers beside those of package nn (SGD, Adam, AdamW, RMSprop, Adagrad, Adafactor, Lion, Muon,
// LBFGS), with the numbers and the defaults of torch.optim: NAdam, RAdam, Adadelta, ASGD and Rprop.
//
//	opt := optim.NewNAdam(params.Vars(), optim.DefaultNAdam())
//	nn.BackwardStep(opt, loss)
//
// They take what package nn has for optimizers: nn.Groups, schedules, nn.Trainer, Save and Load. For variables of F16,
// BF16 and F8E4M3 their state is of F32. A step writes variables and state in place, in one launch on a GPU for up to
// 64 variables. Constructors panic with ErrGradient when a tensor is not a variable, or there twice, with ErrDType when
// one is complex, and with ErrShape when a number of the config makes no sense.
//
// # Files
//
//	nadam.go     NAdam and RAdam
//	adadelta.go  Adadelta
//	asgd.go      ASGD, with the mean of the variables
//	rprop.go     Rprop
package optim

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn"
)

// checkConfig panics unless a config makes sense.
func checkConfig(ok bool, rules nn.Rules, want string) {
	if !ok {
		_, kind, _ := strings.Cut(rules.Name, ".")
		extend.ShapeNoting(rules.Op, nil, fmt.Sprintf("optim.Default%s() has the usual ones", kind),
			"a number makes no sense: %+v: want %s and none below 0", reflect.ValueOf(rules.Config).Elem(), want)
	}
}
