package render

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"golang.org/x/crypto/blowfish" //nolint:staticcheck // bcrypt is defined by it
)

// cryptoFunctions replaces what makes keys, certificates, hashes and ciphers. What they make is well-formed and of no worth as a
// secret: it follows from the model. Where it would reach the output, the render is refused (see generated.go).
func (w *world) cryptoFunctions() template.FuncMap {
	return template.FuncMap{
		"genPrivateKey":            w.genPrivateKey,
		"genCA":                    w.genCA,
		"genCAWithKey":             w.genCAWithKey,
		"genSelfSignedCert":        w.genSelfSignedCert,
		"genSelfSignedCertWithKey": w.genSelfSignedCertWithKey,
		"genSignedCert":            w.genSignedCert,
		"genSignedCertWithKey":     w.genSignedCertWithKey,
		"buildCustomCert":          buildCustomCert,
		"bcrypt":                   w.bcrypt,
		"htpasswd":                 w.htpasswd,
		"encryptAES":               w.encryptAES,
	}
}

func (w *world) htpasswd(user, password string) (string, error) {
	if strings.Contains(user, ":") {
		return "", fmt.Errorf("htpasswd: user %q: a colon ends a user's name", user)
	}
	hash, err := w.bcrypt(password)
	return user + ":" + hash, err
}

// bcryptCost is sprig's: 2^10 rounds.
const bcryptCost = 10

// bcrypt hashes a password with a salt that follows from the seed; golang.org/x/crypto/bcrypt takes no salt.
func (w *world) bcrypt(password string) (string, error) {
	if len(password) > 72 {
		return "", errors.New("bcrypt: the password is longer than 72 bytes")
	}
	var salt [16]byte
	_, _ = w.stream("bcrypt", password).Read(salt[:])
	key := append([]byte(password), 0)
	block, err := blowfish.NewSaltedCipher(key, salt[:])
	if err != nil {
		return "", fmt.Errorf("bcrypt: %w", err)
	}
	for range 1 << bcryptCost {
		blowfish.ExpandKey(key, block)
		blowfish.ExpandKey(salt[:], block)
	}
	hash := []byte("OrpheanBeholderScryDoubt")
	for at := 0; at < len(hash); at += blowfish.BlockSize {
		for range 64 {
			block.Encrypt(hash[at:at+blowfish.BlockSize], hash[at:at+blowfish.BlockSize])
		}
	}
	encoding := base64.NewEncoding("./" + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789").WithPadding(base64.NoPadding)
	return fmt.Sprintf("$2a$%d$%s%s", bcryptCost, encoding.EncodeToString(salt[:]), encoding.EncodeToString(hash[:23])), nil
}

// encryptAES encrypts as sprig does (AES-256-CBC, PKCS#7, the initial vector in front), with a vector that follows from the seed.
func (w *world) encryptAES(password, plain string) (string, error) {
	if plain == "" {
		return "", nil
	}
	key := make([]byte, 32)
	copy(key, password)
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", fmt.Errorf("encryptAES: %w", err)
	}
	padding := aes.BlockSize - len(plain)%aes.BlockSize
	padded := append([]byte(plain), bytes.Repeat([]byte{byte(padding)}, padding)...)
	out := make([]byte, aes.BlockSize+len(padded))
	_, _ = w.stream("encryptAES", password, plain).Read(out[:aes.BlockSize])
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], padded)
	return base64.StdEncoding.EncodeToString(out), nil
}
