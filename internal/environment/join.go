package environment

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// joiner puts the facts of an environment's own file and of the site that it names together. Neither wins over the other: a
// fact stated in both is a mistake.
type joiner struct {
	c    *collector
	own  *document
	site *document // nil without a site
	lost bool      // the site is not there: what it would state is unknown
}

// facts joins the facts, notes what is missing inside of them, and checks them.
func (r *resolver) facts(place *site) {
	j := joiner{c: &r.c, own: r.own.doc, lost: place == nil && r.own.doc.stated["site"]}
	r.env.Facts = r.own.file.Facts
	if place != nil {
		j.site = place.doc
		r.env.Facts = clone(place.facts)
		for path, origin := range place.doc.at {
			if strings.HasPrefix(path, "facts.") && !j.own.stated[path] {
				r.env.Positions[path] = origin
			}
		}
		j.join(reflect.ValueOf(&r.env.Facts).Elem(), reflect.ValueOf(r.own.file.Facts), "facts")
	}
	j.missing(reflect.ValueOf(r.env.Facts), "facts")
	r.env.Tree = factTree(r.env.Facts)
	factChecker{j, r.env}.check()
}

// clone copies what join may write into: structs and the structs that they point to.
func clone(f Facts) Facts {
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		if p := v.Field(i); p.Kind() == reflect.Pointer && !p.IsNil() {
			copied := reflect.New(p.Type().Elem())
			copied.Elem().Set(p.Elem())
			p.Set(copied)
		}
	}
	f.Own = maps.Clone(f.Own)
	return f
}

// join sets in to what from states.
func (j joiner) join(to, from reflect.Value, path string) {
	for _, f := range fieldsOf(from.Type()) {
		at := keyPath(path, f.name)
		if !j.own.stated[at] {
			continue
		}
		low, high := to.FieldByIndex(f.index), from.FieldByIndex(f.index)
		switch {
		case !j.site.stated[at] || low.IsZero():
			low.Set(high)
		case parts(f.typ) && reflect.Indirect(high).IsValid():
			j.join(reflect.Indirect(low), reflect.Indirect(high), at)
		case f.name == "own":
			j.joinOwn(low.Interface().(map[string]any), high.Interface().(map[string]any), at)
		default:
			j.twice(at)
		}
	}
}

// joinOwn joins the facts of the fleet's own naming.
func (j joiner) joinOwn(to, from map[string]any, path string) {
	for _, name := range keys(from) {
		at := keyPath(path, name)
		below, there := to[name]
		low, lowMap := below.(map[string]any)
		high, highMap := from[name].(map[string]any)
		switch {
		case !there:
			to[name] = from[name]
		case lowMap && highMap:
			low = maps.Clone(low)
			j.joinOwn(low, high, at)
			to[name] = low
		default:
			j.twice(at)
		}
	}
}

// twice notes a fact that both state.
func (j joiner) twice(path string) {
	j.c.add(j.own.find(path), path, "is stated in %s as well: a fact has one source, and which of the two is true would be a guess; keep one", j.site.find(path))
}

// parts reports whether the parts of a fact may come from different files.
func parts(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, whole := reflect.New(t).Interface().(scalarForm)
	return t.Kind() == reflect.Struct && !whole && strings.HasSuffix(t.PkgPath(), "internal/environment")
}

// missing notes the parts that a fact lacks.
func (j joiner) missing(facts reflect.Value, path string) {
	for _, f := range fieldsOf(facts.Type()) {
		at, value := keyPath(path, f.name), facts.FieldByIndex(f.index)
		if f.decides != "" && value.IsZero() && !j.stated(at) {
			j.c.add(j.find(path), at, "%s", missingFact(f.decides))
		}
		if value = reflect.Indirect(value); value.IsValid() && !value.IsZero() && parts(value.Type()) {
			j.missing(value, at)
		}
	}
}

// stated reports whether one of the files states a fact, rightly or wrongly.
func (j joiner) stated(path string) bool {
	return j.lost || j.own.says(path) || j.site != nil && j.site.says(path)
}

// find is the place of a fact: in the environment's own file where that states it.
func (j joiner) find(path string) Origin {
	if j.site != nil && j.site.stated[path] && !j.own.stated[path] {
		return j.site.find(path)
	}
	return j.own.find(path)
}

// factTree gives the stated facts as a plain tree.
func factTree(facts Facts) map[string]any {
	tree := map[string]any{}
	raw, err := json.Marshal(facts)
	if err == nil {
		err = kjson.Unmarshal(raw, &tree)
	}
	if err != nil {
		panic("facts are plain data: " + err.Error())
	}
	own, stated := tree["own"]
	delete(tree, "own")
	prune(tree)
	if stated {
		tree["own"] = own
	}
	return tree
}

// prune removes what nobody stated: empty texts and maps.
func prune(tree map[string]any) {
	for name, value := range tree {
		below, isMap := value.(map[string]any)
		if isMap {
			prune(below)
		}
		if value == "" || isMap && len(below) == 0 {
			delete(tree, name)
		}
	}
}

// statedFact reports whether a fact is stated anywhere, be it wrongly.
func (r *resolver) statedFact(place *site) func(path string) bool {
	j := joiner{own: r.own.doc, lost: place == nil && r.own.doc.stated["site"]}
	if place != nil {
		j.site = place.doc
	}
	return j.stated
}
