// %get github.com/go-playground/validator/v10@v10.30.6

package main

import (
	"fmt"
	"github.com/go-playground/validator/v10"
)

type user struct {
	Name string `validate:"required"`
	Age  int    `validate:"gte=0,lte=130"`
	Mail string `validate:"required,email"`
}

func main() {
	v := validator.New(validator.WithRequiredStructEnabled())
	fmt.Println(v.Struct(user{"Ada", 200, "x"}))
	fmt.Println(v.Struct(user{"Ada", 36, "ada@example.com"}))
}

// Output:
// Key: 'user.Age' Error:Field validation for 'Age' failed on the 'lte' tag
// Key: 'user.Mail' Error:Field validation for 'Mail' failed on the 'email' tag
// <nil>
