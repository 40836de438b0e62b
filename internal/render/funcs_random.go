package render

import (
	"encoding/base64"
	"errors"
	"fmt"
	"text/template"
)

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// randomFunctions replaces what draws lots.
func (w *world) randomFunctions() template.FuncMap {
	return template.FuncMap{
		"randAlphaNum": func(count int) string { return w.text("randAlphaNum", letters+digits, count) },
		"randAlpha":    func(count int) string { return w.text("randAlpha", letters, count) },
		"randNumeric":  func(count int) string { return w.text("randNumeric", digits, count) },
		"randAscii":    func(count int) string { return w.text("randAscii", printable(), count) },
		"randBytes":    w.randBytes,
		"randInt":      w.randInt,
		"shuffle":      w.shuffle,
		"uuidv4":       w.uuidv4,
	}
}

// printable returns the ASCII characters that sprig draws from: space to tilde.
func printable() string {
	var all []byte
	for c := byte(' '); c <= '~'; c++ {
		all = append(all, c)
	}
	return string(all)
}

func (w *world) text(function, alphabet string, count int) string {
	bytes := w.stream(function, count)
	text := make([]byte, max(count, 0))
	for i := range text {
		text[i] = alphabet[bytes.below(len(alphabet))]
	}
	return string(text)
}

func (w *world) randBytes(count int) (string, error) {
	if count < 0 {
		return "", errors.New("randBytes: the count is negative")
	}
	bytes := make([]byte, count)
	_, _ = w.stream("randBytes", count).Read(bytes)
	return base64.StdEncoding.EncodeToString(bytes), nil
}

func (w *world) randInt(low, high int) (int, error) {
	if high <= low {
		return 0, fmt.Errorf("randInt: no number lies between %d and %d", low, high)
	}
	return low + w.stream("randInt", low, high).below(high-low), nil
}

func (w *world) shuffle(text string) string {
	bytes := w.stream("shuffle", text)
	runes := []rune(text)
	for i := len(runes) - 1; i > 0; i-- {
		j := bytes.below(i + 1)
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

func (w *world) uuidv4() string {
	var id [16]byte
	_, _ = w.stream("uuidv4").Read(id[:])
	id[6] = id[6]&0x0f | 0x40 // version 4, RFC 9562 section 5.4
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
