// %get github.com/spf13/viper@v1.21.0

package main

import (
	"fmt"
	"github.com/spf13/viper"
	"strings"
)

func main() {
	v := viper.New()
	v.SetConfigType("yaml")
	v.SetDefault("port", 80)
	fmt.Println(v.ReadConfig(strings.NewReader("db:\n  host: h\n  tags: [a, b]\n")))
	fmt.Println(v.GetString("db.host"), v.GetStringSlice("db.tags"), v.GetInt("port"))
}

// Output:
// <nil>
// h [a b] 80
