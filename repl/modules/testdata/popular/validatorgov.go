// %get github.com/asaskevich/govalidator@v0.0.0-20230301143203-a9d515a09cc2

package main

import (
	"fmt"
	"github.com/asaskevich/govalidator"
)

func main() {
	fmt.Println(govalidator.IsEmail("a@b.cd"), govalidator.IsURL("x"), govalidator.IsIPv4("1.2.3.4"))
}

// Output:
// true false true
