// %get github.com/stretchr/testify@v1.11.1

package main

import (
	"errors"
	"fmt"

	"github.com/stretchr/testify/mock"
)

type doer interface {
	DoSomething(number int) (bool, error)
}

type mocked struct{ mock.Mock }

func (m *mocked) DoSomething(number int) (bool, error) {
	args := m.Called(number)
	return args.Bool(0), args.Error(1)
}

func target(d doer) { fmt.Println(d.DoSomething(123)) }

type reporter struct{}

func (reporter) Logf(format string, args ...any)   {}
func (reporter) Errorf(format string, args ...any) { fmt.Println("failed") }
func (reporter) FailNow()                          {}

func main() {
	m := new(mocked)
	m.On("DoSomething", 123).Return(true, nil).Once()
	m.On("DoSomething", mock.Anything).Return(false, errors.New("again"))
	target(m)
	target(m)
	fmt.Println(m.AssertExpectations(reporter{}), m.AssertNumberOfCalls(reporter{}, "DoSomething", 2))
	fmt.Println(m.AssertCalled(reporter{}, "DoSomething", 7))
}

// Output:
// true <nil>
// false again
// true true
// failed
// false
