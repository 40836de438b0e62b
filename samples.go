// Package gen holds the sample model, so that the program can show itself without a checkout.
package gen

import "embed"

// Samples is the folder environments/ as it was when the program was built: the model that `gen demo` renders.
// See docs/decisions/0003-samples-embedded.md.
//
//go:embed all:environments
var Samples embed.FS
