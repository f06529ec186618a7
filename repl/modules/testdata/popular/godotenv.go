// %get github.com/joho/godotenv@v1.5.1

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/joho/godotenv"
)

func main() {
	env, err := godotenv.Parse(strings.NewReader("# c\nA=1\nexport B='two words'\nC=\"x${A}\\n\"\nD: yaml # tail\n"))
	text, _ := godotenv.Marshal(env)
	fmt.Println(err, len(env))
	fmt.Println(text)
	f, _ := os.CreateTemp("", "env")
	defer os.Remove(f.Name())
	f.WriteString("GOROCM_POPULAR_TEST=yes\n")
	f.Close()
	fmt.Println(godotenv.Load(f.Name()), os.Getenv("GOROCM_POPULAR_TEST"))
}

// Output:
// <nil> 4
// A=1
// B="two words"
// C="x1\n"
// D="yaml"
// <nil> yes
