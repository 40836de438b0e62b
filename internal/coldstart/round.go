package coldstart

import (
	"slices"
	"strconv"
)

// circles finds the shortest circle through each object, as far as the steps last: the short ones first.
func (r *reasons) circles() []*reason {
	starts := r.inCircles()
	var found []*reason
	for _, most := range []int{4, 16, 64, len(r.all) + 1} {
		var later []*reason
		for i, v := range starts {
			if r.steps > searchSteps {
				return found
			}
			length, all := r.search(v, most)
			switch {
			case length > 0 && (v.length == 0 || length < v.length):
				v.length = length
				found = append(found, v)
			case length == 0 && !all:
				later = append(later, starts[i])
			}
		}
		starts = later
	}
	return found
}

// inCircles returns what a chain may come back to, but for what surely stands in no circle.
func (r *reasons) inCircles() []*reason {
	out, queue := map[*reason]bool{}, []*reason{}
	ahead := make(map[*reason]int, len(r.all))
	for _, v := range r.all {
		for _, x := range v.next {
			if !x.unknown {
				ahead[v]++
			}
		}
		if v.unknown || ahead[v] == 0 {
			out[v] = true
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if queue[0].unknown {
			continue
		}
		for _, b := range queue[0].back {
			if ahead[b]--; ahead[b] == 0 && !out[b] {
				out[b] = true
				queue = append(queue, b)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(r.all), func(v *reason) bool { return out[v] || v.object == nil && v.subject == nil })
}

// search looks for the shortest circle from a reason back to it, of at most so many links. It says whether that was all there is.
func (r *reasons) search(start *reason, most int) (length int, all bool) {
	r.stamp++
	start.stamp, start.from = r.stamp, nil
	r.last = nil
	level, best := []*reason{start}, most+1
	for depth := 0; len(level) > 0; depth++ {
		if depth >= best || depth > most {
			return found(best, most), false
		}
		var deeper []*reason
		for i := 0; i < len(level); i++ {
			v := level[i]
			at := depth + len(v.text)
			if v.holder != nil && at < best && r.comesRound(start, v.holder) {
				best, r.last, r.again = at, v, false
			}
			for _, x := range v.next {
				r.steps++
				if total, again := start.closed(x, at); total > 0 && total < best {
					best, r.last, r.again = total, v, again
				}
				if x.unknown || x.stamp == r.stamp {
					continue
				}
				x.stamp, x.from = r.stamp, v
				if at == depth {
					level = append(level, x)
				} else {
					deeper = append(deeper, x)
				}
			}
		}
		level = deeper
	}
	return found(best, most), true
}

func found(best, most int) int {
	if best > most {
		return 0
	}
	return best
}

// comesRound reports whether what a step waits for is what a circle began with.
func (r *reasons) comesRound(start *reason, holder *app) bool {
	return start.object != nil && start.object.app == holder && r.stuck[start.object]
}

// closed returns the length of a circle that comes back to its start after so many links, or 0, and whether it says so in one more.
func (v *reason) closed(x *reason, links int) (total int, again bool) {
	switch {
	case v.object != nil && x.object == v.object:
		return links + 1, true
	case v.subject != nil && x.subject == v.subject:
		return links, false
	}
	return 0, false
}

// circle returns the links of the shortest circle from a reason.
func (r *reasons) circle(start *reason) []Link {
	r.search(start, len(r.all)+1)
	var links []Link
	if r.again {
		links = append(links, link(start.object, closes))
	}
	for v := r.last; v != nil; v = v.from {
		links = append(links, v.text...)
	}
	if r.again {
		slices.Reverse(links[1:])
		return append(links[1:], links[0])
	}
	slices.Reverse(links)
	return links
}

// someCircle follows a chain until it comes round, and returns where.
func (r *reasons) someCircle(v *reason) *reason {
	seen := map[*reason]bool{}
	for !seen[v] || v.object == nil && v.subject == nil {
		seen[v] = true
		v = v.next[slices.IndexFunc(v.next, func(x *reason) bool { return !x.unknown })]
	}
	v.length, _ = r.search(v, len(r.all)+1)
	return v
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
