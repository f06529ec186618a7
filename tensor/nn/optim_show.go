package nn

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// String returns the hyperparameters that are set, and how much the optimizer changes.
func (s *SGD) String() string {
	return described("nn.SGD", fmt.Sprint("LR ", s.lr)+hyperparameters(", ", reflect.ValueOf(s).Elem()), s.vars)
}

// String returns the hyperparameters that are set, and how much the optimizer changes.
func (a *Adafactor) String() string { return configured("nn.Adafactor", a.Config, a.vars) }

// String returns the hyperparameters that are set, and how much the optimizer changes.
func (m *Muon) String() string { return configured("nn.Muon", m.Config, m.vars) }

// String returns the hyperparameters that are set, and how much the optimizer changes.
func (l *LBFGS) String() string { return configured("nn.LBFGS", l.Config, l.vars) }

// String returns a line for each group.
func (g *Groups) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nn.Groups: %d", len(g.groups))
	for i, o := range g.groups {
		fmt.Fprintf(&b, "\n  %v", o)
		if g.frozen[i] {
			b.WriteString(", frozen")
		}
	}
	return b.String()
}

// String returns the line of the optimizer whose steps it takes.
func (t *Trainer) String() string { return fmt.Sprintf("nn.Trainer: steps of %v", t.optimizer) }

// String returns the scale and the optimizer's line.
func (s *Scaler) String() string {
	return fmt.Sprintf("nn.Scaler: scale %v, of %v", s.state.Scale, s.of)
}

func configured(name string, config any, vars []*tensor.Tensor) string {
	return described(name, hyperparameters("", reflect.ValueOf(config)), vars)
}

// described is an optimizer on one line.
func described(name, numbers string, vars []*tensor.Tensor) string {
	elements, s := 0, "s"
	for _, v := range vars {
		elements += v.ElemCount()
	}
	if len(vars) == 1 {
		s = ""
	}
	return fmt.Sprintf("%s: %s; %d variable%s of %d elements", name, numbers, len(vars), s, elements)
}

// hyperparameters are the exported fields that are not zero, with those of nested structs, after a separator.
func hyperparameters(sep string, config reflect.Value) string {
	var b strings.Builder
	for i := range config.NumField() {
		f, v := config.Type().Field(i), config.Field(i)
		switch {
		case !f.IsExported() || v.IsZero():
			continue
		case v.Kind() == reflect.Struct:
			b.WriteString(hyperparameters(sep, v))
		case v.Kind() == reflect.Bool:
			b.WriteString(sep + f.Name)
		default:
			fmt.Fprintf(&b, "%s%s %v", sep, f.Name, v)
		}
		if b.Len() > 0 {
			sep = ", "
		}
	}
	return b.String()
}

// String returns the numbers of the averages, and of how much they are.
func (e *EMA) String() string {
	text := described("nn.EMA", hyperparameters("", reflect.ValueOf(e).Elem()), e.vars)
	text += fmt.Sprintf("; %d updates", e.count)
	if e.swapped {
		text += "; the variables are the averages, until the next Swap"
	}
	return text
}

// String returns the settings, and how much the adapters are.
func (l *LoRA) String() string {
	return described("nn.LoRA", hyperparameters("", reflect.ValueOf(l).Elem()), l.params.Vars()) +
		fmt.Sprintf(" in %d layers", len(l.paths))
}
