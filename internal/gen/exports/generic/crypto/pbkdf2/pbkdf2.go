// Package pbkdf2 is the standard library's crypto/pbkdf2.
package pbkdf2

import (
	"crypto/hmac"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"hash"
)

// Key is pbkdf2.Key.
func Key[Hash hash.Hash](h func() Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if keyLength <= 0 {
		return nil, errors.New("pkbdf2: keyLength must be larger than 0")
	}
	mac := hmac.New(func() hash.Hash { return h() }, []byte(password))
	var key []byte
	for n := uint32(1); len(key) < keyLength; n++ {
		mac.Reset()
		mac.Write(salt)
		mac.Write(binary.BigEndian.AppendUint32(nil, n))
		u := mac.Sum(nil)
		sum := append([]byte(nil), u...)
		for i := 1; i < iter; i++ {
			mac.Reset()
			mac.Write(u)
			u = mac.Sum(u[:0])
			subtle.XORBytes(sum, sum, u)
		}
		key = append(key, sum...)
	}
	return key[:keyLength], nil
}
