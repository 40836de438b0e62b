package chart

import "fmt"

// validateGit checks the form of a git source.
func (s Source) validateGit() error {
	if s.Ref == "" {
		return fmt.Errorf("reading git chart %s: it has no ref; state a tag, a branch or a commit", redact(s.Git))
	}
	if s.Path == "" {
		return nil
	}
	return validPath(s.Path)
}
