// Package imagefield finds every place that names an image, in objects and in text, and edits only those bytes.
package imagefield
