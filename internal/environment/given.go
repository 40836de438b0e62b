package environment

import (
	"reflect"
	"time"
)

// givenFile is a file of assumptions that stands by itself.
type givenFile struct {
	Given []Given `json:"given" doc:"What the cold-start proof takes for granted."`
}

// LoadGiven reads assumptions that stand by themselves: a list under given, as an environment's file has it, and as strictly. name
// is the file's name for messages. All mistakes are returned at once, as Mistakes.
func LoadGiven(data []byte, name string) ([]Given, error) {
	var c collector
	var file givenFile
	doc := parse(name, "given", data, &c)
	if doc == nil {
		return nil, c.err()
	}
	if treeMap(doc.tree) == nil {
		c.add(doc.top(), "", "is no map: assumptions are a list under given; write given: [{fact: …}]")
		return nil, c.err()
	}
	decoder{doc, &c}.decode(input{doc.root, doc.tree, ""}, reflect.ValueOf(&file).Elem())
	c.checkDays(doc, file.Given)
	if err := c.err(); err != nil {
		return nil, err
	}
	return file.Given, nil
}

// checkDays holds that the days on which assumptions end are days. Which of them are over is for the proof to say, which knows
// the day: a model that is right today is not wrong tomorrow.
func (c *collector) checkDays(doc *document, given []Given) {
	for i, g := range given {
		if _, err := time.Parse(time.DateOnly, g.Expires); g.Expires != "" && err != nil {
			at := itemPath("given", i) + ".expires"
			c.add(doc.find(at), at, "%q is no day, so nobody would be told when the assumption ends; write YYYY-MM-DD, or leave it out", g.Expires)
		}
	}
}
