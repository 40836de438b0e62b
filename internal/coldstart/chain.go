package coldstart

import "slices"

// Limits of the search for the shortest chains. The verdict depends on neither.
const (
	searchSteps = 4_000_000 // steps in search of the shortest circles, all together; past it any circle will do
	chainLength = 48        // links of a chain that a person may read
)

// closes ends a chain that has come round.
const closes = "is what waits"

// solution is what is known of a reason once the graph is solved.
type solution struct {
	back    []*reason // the reasons that it stands behind
	unknown bool      // nobody knows whether it lasts
	final   bool      // the same, and its chain is known
	waits   int       // of its next, those not known to be unknown, or circular
	via     *reason   // the next one of its shortest chain; nil at an end, and where the shortest circle begins
	length  int       // links of that chain; 0 is none yet
	stamp   int       // the search that has seen it last
	from    *reason   // by which it was seen
}

// solve finds the verdict of every reason, and its shortest chain.
//
// It is unknown how something ends if all that keeps it back is unknown, and of a fact, if one that would bring it about is. That is
// the least set: what only waits for itself is certain. All else ends in what is certain, or in a circle.
func (r *reasons) solve() {
	for _, v := range r.all {
		v.waits = len(v.next)
		for _, x := range v.next {
			x.back = append(x.back, v)
		}
	}
	r.doubt()
	var known []*reason
	for _, v := range r.all {
		if v.end != nil && !v.unknown {
			v.length = len(v.end.links)
			known = append(known, v)
		}
	}
	known = append(known, r.circles()...)
	r.spread(known)
	for _, v := range r.all { // whose circles were not looked for
		for v.length == 0 && !v.unknown {
			r.spread([]*reason{r.someCircle(v)})
		}
	}
}

// doubt marks what is unknown, from the ends on. Each has its chain once all behind it have theirs.
func (r *reasons) doubt() {
	var queue []*reason
	for _, v := range r.all {
		if len(v.next) == 0 && (v.end == nil || v.end.verdict == Unknown) {
			v.unknown = true
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if v.length = len(v.text); v.end != nil {
			v.length = len(v.end.links)
		}
		for _, x := range v.next {
			if x.final && (v.via == nil || x.length < v.via.length) {
				v.via = x
			}
		}
		if v.via != nil {
			v.length += v.via.length
		}
		v.final = true
		for _, b := range v.back {
			if b.waits--; !b.unknown && (b.any || b.waits == 0) {
				b.unknown = true
				queue = append(queue, b)
			}
		}
	}
}

// spread carries the lengths of chains to all that stand before their first links: the shortest first.
func (r *reasons) spread(known []*reason) {
	byLength := map[int][]*reason{}
	longest := 0
	put := func(v *reason) {
		byLength[v.length] = append(byLength[v.length], v)
		longest = max(longest, v.length)
	}
	for _, v := range known {
		put(v)
	}
	for length := 0; length <= longest; length++ {
		for i := 0; i < len(byLength[length]); i++ {
			v := byLength[length][i]
			if v.length != length {
				continue // a shorter one was found since
			}
			for _, b := range v.back {
				if through := length + len(b.text); !b.unknown && (b.length == 0 || through < b.length) {
					b.length, b.via = through, v
					put(b)
				}
			}
		}
	}
}

// chain returns the shortest chain of a reason, without the middle of one that nobody would read to its end.
func (r *reasons) chain(v *reason) cause {
	r.path = r.path[:0]
	for ; v.via != nil; v = v.via {
		r.path = append(r.path, v)
	}
	switch {
	case v.end == nil && v.unknown:
		return cause{Unknown, r.shortened(v.text), ""}
	case v.end != nil:
		return cause{v.end.verdict, r.shortened(v.end.links), v.end.axiom}
	}
	ring := r.rings[v]
	if ring == nil {
		ring = r.circle(v)
		r.rings[v] = ring
	}
	return cause{verdict: Deadlock, links: r.shortened(ring)}
}

// shortened writes the chain that follows the path and ends with these links, but for the middle of a long one: of that nobody needs
// the links, and there may be as many chains as Applications.
func (r *reasons) shortened(end []Link) []Link {
	const kept = chainLength / 2
	total := len(end)
	for _, v := range r.path {
		total += len(v.text)
	}
	var first, last []Link
	for i := 0; i < len(r.path) && (total <= chainLength || len(first) < kept); i++ {
		first = append(first, r.path[i].text...)
	}
	if total <= chainLength {
		return append(first, end...)
	}
	first = append(first, end[:min(len(end), max(0, kept-len(first)))]...)
	last = append(last, end[max(0, len(end)-kept):]...)
	for i := len(r.path) - 1; len(last) < kept; i-- {
		last = slices.Concat(r.path[i].text, last)
	}
	left := Link{Text: "and so on, over " + plural(total-2*kept, "more link")}
	return slices.Concat(first[:kept], []Link{left}, last[len(last)-kept:])
}
