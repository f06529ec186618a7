// %get k8s.io/client-go@v0.34.1

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/flowcontrol"
)

func main() {
	c := api.NewConfig()
	c.Clusters["a"] = &api.Cluster{Server: "https://example.com:6443"}
	c.AuthInfos["me"] = &api.AuthInfo{Token: "t"}
	c.Contexts["x"] = &api.Context{Cluster: "a", AuthInfo: "me", Namespace: "n"}
	c.CurrentContext = "x"
	text, err := clientcmd.Write(*c)
	fmt.Println(len(text) > 100, err)
	back, err := clientcmd.Load(text)
	fmt.Println(back.Contexts["x"].Namespace, err)
	r, err := clientcmd.NewDefaultClientConfig(*back, nil).ClientConfig()
	fmt.Println(r.Host, r.BearerToken, err)
	fmt.Println(flowcontrol.NewTokenBucketRateLimiter(1, 2).Wait(context.Background()))
}

// Output:
// true <nil>
// n <nil>
// https://example.com:6443 t <nil>
// <nil>
