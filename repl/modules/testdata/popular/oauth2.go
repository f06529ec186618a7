// %get golang.org/x/oauth2@v0.37.0

package main

import (
	"fmt"
	"golang.org/x/oauth2"
)

func main() {
	c := oauth2.Config{ClientID: "id", Endpoint: oauth2.Endpoint{AuthURL: "https://a.example/auth"}, Scopes: []string{"x"}}
	fmt.Println(c.AuthCodeURL("state", oauth2.AccessTypeOffline))
}

// Output:
// https://a.example/auth?access_type=offline&client_id=id&response_type=code&scope=x&state=state
