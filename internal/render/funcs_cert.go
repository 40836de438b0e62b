package render

import (
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificate is what templates get from genCA and its kin: PEM texts.
type certificate struct{ Cert, Key string }

// subject is what a function was asked to make a certificate of.
type subject struct {
	function   string
	name       string
	ips, hosts []any
	days       int
}

// genPrivateKey returns an Ed25519 key whatever type is asked for: the others cannot be made from a seed, and none of them may
// reach the output.
func (w *world) genPrivateKey(kind string) (string, error) {
	switch kind {
	case "", "rsa", "dsa", "ecdsa", "ed25519":
		_, text, err := w.newKey("genPrivateKey", kind)
		return text, err
	}
	return "", fmt.Errorf("genPrivateKey: unknown type %q", kind)
}

func (w *world) genCA(name string, days int) (certificate, error) {
	key, text, err := w.newKey("genCA", name, days)
	if err != nil {
		return certificate{}, err
	}
	return w.selfSigned(subject{function: "genCA", name: name, days: days}, key, text, true)
}

func (w *world) genCAWithKey(name string, days int, keyPEM string) (certificate, error) {
	key, err := parseKey(keyPEM)
	if err != nil {
		return certificate{}, fmt.Errorf("genCAWithKey: %w", err)
	}
	return w.selfSigned(subject{function: "genCAWithKey", name: name, days: days}, key, keyPEM, true)
}

func (w *world) genSelfSignedCert(name string, ips, hosts []any, days int) (certificate, error) {
	key, text, err := w.newKey("genSelfSignedCert", name, ips, hosts, days)
	if err != nil {
		return certificate{}, err
	}
	return w.selfSigned(subject{"genSelfSignedCert", name, ips, hosts, days}, key, text, false)
}

func (w *world) genSelfSignedCertWithKey(name string, ips, hosts []any, days int, keyPEM string) (certificate, error) {
	key, err := parseKey(keyPEM)
	if err != nil {
		return certificate{}, fmt.Errorf("genSelfSignedCertWithKey: %w", err)
	}
	return w.selfSigned(subject{"genSelfSignedCertWithKey", name, ips, hosts, days}, key, keyPEM, false)
}

func (w *world) genSignedCert(name string, ips, hosts []any, days int, ca certificate) (certificate, error) {
	key, text, err := w.newKey("genSignedCert", name, ips, hosts, days)
	if err != nil {
		return certificate{}, err
	}
	return w.signed(subject{"genSignedCert", name, ips, hosts, days}, ca, key, text)
}

func (w *world) genSignedCertWithKey(name string, ips, hosts []any, days int, ca certificate, keyPEM string) (certificate, error) {
	key, err := parseKey(keyPEM)
	if err != nil {
		return certificate{}, fmt.Errorf("genSignedCertWithKey: %w", err)
	}
	return w.signed(subject{"genSignedCertWithKey", name, ips, hosts, days}, ca, key, keyPEM)
}

func (w *world) signed(s subject, ca certificate, key crypto.Signer, keyPEM string) (certificate, error) {
	authority, err := parsePair(ca)
	if err != nil {
		return certificate{}, fmt.Errorf("%s: reading the authority: %w", s.function, err)
	}
	wanted, err := w.certificateFor(s)
	if err != nil {
		return certificate{}, err
	}
	return authority.sign(wanted, key, keyPEM)
}

// buildCustomCert checks and returns a certificate that the values hold; it makes nothing.
func buildCustomCert(cert64, key64 string) (certificate, error) {
	cert, certErr := base64.StdEncoding.DecodeString(cert64)
	key, keyErr := base64.StdEncoding.DecodeString(key64)
	if err := errors.Join(certErr, keyErr); err != nil {
		return certificate{}, fmt.Errorf("buildCustomCert: decoding base64: %w", err)
	}
	pair := certificate{Cert: string(cert), Key: string(key)}
	if _, err := parsePair(pair); err != nil {
		return certificate{}, fmt.Errorf("buildCustomCert: %w", err)
	}
	return pair, nil
}

// newKey returns an Ed25519 key that follows from the seed, and its PEM text.
func (w *world) newKey(function string, arguments ...any) (crypto.Signer, string, error) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = w.stream(function, arguments...).Read(seed)
	key := ed25519.NewKeyFromSeed(seed)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, "", fmt.Errorf("%s: encoding the key: %w", function, err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

func (w *world) selfSigned(s subject, key crypto.Signer, keyPEM string, authority bool) (certificate, error) {
	wanted, err := w.certificateFor(s)
	if err != nil {
		return certificate{}, err
	}
	if authority {
		wanted.KeyUsage |= x509.KeyUsageCertSign
		wanted.IsCA = true
	}
	return issuer{wanted, key}.sign(wanted, key, keyPEM)
}

// certificateFor fills a certificate as sprig does, with the world's clock and a serial number that follows from the seed.
func (w *world) certificateFor(s subject) (*x509.Certificate, error) {
	wanted := &x509.Certificate{
		SerialNumber:          new(big.Int).SetUint64(uint64(w.stream(s.function, "serial", s).below(1 << 62))),
		Subject:               pkix.Name{CommonName: s.name},
		NotBefore:             w.clock(s.function),
		NotAfter:              w.now.Add(time.Duration(s.days) * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
	for _, item := range s.ips {
		text, _ := item.(string)
		ip := net.ParseIP(text)
		if ip == nil {
			return nil, fmt.Errorf("certificate %q: %v is no IP address", s.name, item)
		}
		wanted.IPAddresses = append(wanted.IPAddresses, ip)
	}
	for _, item := range s.hosts {
		host, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("certificate %q: %v is no host name", s.name, item)
		}
		wanted.DNSNames = append(wanted.DNSNames, host)
	}
	return wanted, nil
}

// issuer is who signs a certificate.
type issuer struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// sign makes the certificate of a key. Without a source of randomness, all three kinds of key sign in the same way every time.
func (i issuer) sign(wanted *x509.Certificate, key crypto.Signer, keyPEM string) (certificate, error) {
	der, err := x509.CreateCertificate(nil, wanted, i.cert, key.Public(), i.key)
	if err != nil {
		return certificate{}, fmt.Errorf("signing the certificate of %q: %w", wanted.Subject.CommonName, err)
	}
	return certificate{Cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), Key: keyPEM}, nil
}

func parsePair(pair certificate) (issuer, error) {
	block, _ := pem.Decode([]byte(pair.Cert))
	if block == nil {
		return issuer{}, errors.New("reading a certificate: no PEM block")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return issuer{}, fmt.Errorf("reading a certificate: %w", err)
	}
	key, err := parseKey(pair.Key)
	return issuer{cert, key}, err
}

// parseKey reads a private key in PEM: PKCS#8, or the older forms of RSA and EC keys.
func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("reading a private key: no PEM block")
	}
	var key any
	var err error
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a private key: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("reading a private key: keys of type %T cannot sign", key)
	}
	return signer, nil
}
