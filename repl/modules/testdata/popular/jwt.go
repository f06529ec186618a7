// %get github.com/golang-jwt/jwt/v5@v5.3.1

package main

import (
	"fmt"
	"github.com/golang-jwt/jwt/v5"
)

func main() {
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"foo": "bar"}).SignedString([]byte("k"))
	fmt.Println(s, err)
	t, err := jwt.Parse(s, func(*jwt.Token) (any, error) { return []byte("k"), nil })
	fmt.Println(t.Claims, t.Valid, err)
}

// Output:
// eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJmb28iOiJiYXIifQ.Kfqnb-FCWleRVdufXLuInwf-N056K73woT6XuMbL9wY <nil>
// map[foo:bar] true <nil>
