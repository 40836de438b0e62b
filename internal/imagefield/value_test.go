package imagefield

import (
	"regexp"
	"testing"
)

// FuzzImageLabel holds what is written by hand against the expression that says what is meant.
func FuzzImageLabel(f *testing.F) {
	meant := regexp.MustCompile(`(?i)image["']?[ \t]*[:=][ \t]*["']?$`)
	for _, line := range []string{"", "image", "image:", `"Image" : "`, "--init-image=", "X_IMAGE=''", `image"":`, "image::", "image\t=\t'", "images:", "imag\u0130:", "image:\"\"", "image :  ", "'image'='"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if got, want := imageLabel(line), meant.MatchString(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	})
}
