package needs

// The readers below take decoded values of any shape and give the zero value where the shape is another.

// value follows keys through maps.
func value(at any, keys ...string) any {
	for _, key := range keys {
		fields, _ := at.(map[string]any)
		at = fields[key]
	}
	return at
}

func child(at any, key string) map[string]any {
	m, _ := value(at, key).(map[string]any)
	return m
}

func list(at any, key string) []any {
	l, _ := value(at, key).([]any)
	return l
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func str(fields map[string]any, key string) string { return text(fields[key]) }

// or returns the first string unless it is empty.
func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
