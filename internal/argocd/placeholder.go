package argocd

import "regexp"

// placeholder finds what stands in an address or a path for something that somebody has to fill in: letters that no address holds, the
// variables of a shell, and the words of templates.
var placeholder = regexp.MustCompile(`[<>{}]|\$[A-Za-z_({]|(?i:replace|change)[-_]?(?i:me)(?:\b|_)|YOUR[-_]|\b(?:your-org|your-repo|your-username)\b|\b(?:TODO|FIXME)\b`)

// IsPlaceholder reports whether an address or a path is still to be filled in.
func IsPlaceholder(text string) bool { return placeholder.MatchString(text) }
