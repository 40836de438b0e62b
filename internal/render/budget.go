package render

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// maxItems and maxBytes are how much the functions of one run of templates may make that make much out of a number.
const (
	maxItems = 1_000_000
	maxBytes = 64 << 20
)

var (
	errItems = errors.New("the templates ask for more than 1 000 000 items, the limit for charts that other people wrote")
	errBytes = errors.New("the templates ask for more than 64 MiB of repeated text, the limit for charts that other people wrote")
)

// Bounded returns stand-ins for the template functions that make much out of a number. All that one set of them makes counts
// together, so that loops in loops end.
func Bounded() template.FuncMap {
	items, bytes := maxItems, maxBytes
	take := func(left *int, n int, err error) error {
		if n > *left {
			return err
		}
		*left -= max(n, 1)
		return nil
	}
	count := func(start, stop, step int) ([]int, error) {
		if err := take(&items, steps(start, stop, step), errItems); err != nil {
			return nil, err
		}
		return counted(start, stop, step), nil
	}
	return template.FuncMap{
		"until":     func(n int) ([]int, error) { return count(0, n, toward(0, n)) },
		"untilStep": count,
		"seq": func(params ...int) (string, error) {
			start, stop, step := sequence(params)
			list, err := count(start, stop, step)
			return strings.Trim(fmt.Sprint(list), "[]"), err
		},
		"repeat": func(n int, text string) (string, error) {
			if err := take(&bytes, times(n, len(text)), errBytes); err != nil {
				return "", err
			}
			return strings.Repeat(text, max(n, 0)), nil
		},
		"indent": func(n int, text string) (string, error) {
			if err := take(&bytes, times(n, strings.Count(text, "\n")+1), errBytes); err != nil {
				return "", err
			}
			return indented(n, text), nil
		},
		"nindent": func(n int, text string) (string, error) {
			if err := take(&bytes, times(n, strings.Count(text, "\n")+1), errBytes); err != nil {
				return "", err
			}
			return "\n" + indented(n, text), nil
		},
	}
}

func indented(n int, text string) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(text, "\n", "\n"+pad)
}

func toward(start, stop int) int {
	if stop < start {
		return -1
	}
	return 1
}

// sequence reads the arguments of seq: last; first, last; first, step, last. The last counts.
func sequence(params []int) (start, stop, step int) {
	switch len(params) {
	case 1:
		start, stop = 1, params[0]
		step = toward(start, stop)
	case 2:
		start, stop = params[0], params[1]
		step = toward(start, stop)
	case 3:
		start, step, stop = params[0], params[1], params[2]
	}
	return start, stop + toward(start, stop), step
}

// steps is how many numbers counted makes, or more than the limit.
func steps(start, stop, step int) int {
	if step == 0 || start < stop && step < 0 || start >= stop && step > 0 {
		return 0
	}
	n := (float64(stop) - float64(start)) / float64(step)
	return int(min(n, maxItems)) + 1
}

// counted counts from start to before stop.
func counted(start, stop, step int) []int {
	list := []int{}
	for i, n := start, steps(start, stop, step); n > 0 && (step > 0 && i < stop || step < 0 && i > stop); i += step {
		list = append(list, i)
	}
	return list
}

// times multiplies without going round.
func times(n, size int) int {
	if n <= 0 || size == 0 {
		return 0
	}
	if n > maxBytes {
		return maxBytes + 1
	}
	return n * min(size, maxBytes+1)
}
