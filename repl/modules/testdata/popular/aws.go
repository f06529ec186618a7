// %get github.com/aws/aws-sdk-go-v2@v1.48.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

func main() {
	creds := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET"}, nil
	})
	cache := aws.NewCredentialsCache(creds)
	c, err := cache.Retrieve(context.Background())
	fmt.Println(c.AccessKeyID, err)
	r, _ := http.NewRequest("GET", "https://s3.eu-central-1.amazonaws.com/bucket/key?x=1", nil)
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	fmt.Println(v4.NewSigner().SignHTTP(context.Background(), c, r, empty, "s3", "eu-central-1", time.Unix(1700000000, 0)))
	fmt.Println(r.Header.Get("Authorization"))
	fmt.Println(aws.ToString(aws.String("x")), aws.ToInt32(nil))
}

// Output:
// AKID <nil>
// <nil>
// AWS4-HMAC-SHA256 Credential=AKID/20231114/eu-central-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=59e121ba74cb69fd3b817671fe82ca2a57f4f39be72c5290ef0b832faceff541
// x 0
