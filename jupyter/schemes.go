package jupyter

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
)

// hashes are the hash functions of signature schemes, by the names of Python's hashlib, which is where Jupyter clients
// look them up. HMAC over MD5 or SHA-1 is weak, but no weaker than what the client has asked for.
var hashes = map[string]func() hash.Hash{
	"md5":      md5.New,
	"sha1":     sha1.New,
	"sha224":   sha256.New224,
	"sha256":   sha256.New,
	"sha384":   sha512.New384,
	"sha512":   sha512.New,
	"sha3_224": func() hash.Hash { return sha3.New224() },
	"sha3_256": func() hash.Hash { return sha3.New256() },
	"sha3_384": func() hash.Hash { return sha3.New384() },
	"sha3_512": func() hash.Hash { return sha3.New512() },
	"blake2b":  unkeyed(blake2b.New512),
	"blake2s":  unkeyed(blake2s.New256),
}

// unkeyed makes a hash of BLAKE2's constructor, which fails only for keys that are too long.
func unkeyed(open func(key []byte) (hash.Hash, error)) func() hash.Hash {
	return func() hash.Hash {
		h, err := open(nil)
		if err != nil {
			panic(err)
		}
		return h
	}
}

// schemeHash is the hash function of a signature_scheme such as hmac-sha256, which is also that of an empty one.
func schemeHash(scheme string) (func() hash.Hash, error) {
	if scheme == "" {
		return sha256.New, nil
	}
	name, ok := strings.CutPrefix(scheme, "hmac-")
	if h := hashes[name]; ok && h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("signature_scheme %q is not supported, only hmac-X with X one of %s", scheme,
		strings.Join(slices.Sorted(maps.Keys(hashes)), ", "))
}
