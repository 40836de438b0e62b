package render

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// subchart returns the files of a small chart below prefix, in pairs; it renders a ConfigMap that shows its values.
func subchart(prefix, name, version, values string) []string {
	return []string{
		prefix + "Chart.yaml", "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n",
		prefix + "values.yaml", values,
		prefix + "templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {values: {{ toJson .Values | quote }}}\n",
	}
}

// archiveOf packs files, in pairs, as a chart's archive.
func archiveOf(t *testing.T, pairs []string) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for i := 0; i < len(pairs); i += 2 {
		if err := packed.WriteHeader(&tar.Header{Name: "chart/" + pairs[i], Mode: 0o644, Size: int64(len(pairs[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := packed.Write([]byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// shown renders and returns what the ConfigMaps say, by name.
func shown(t *testing.T, in Input) (map[string]string, []Notice, error) {
	t.Helper()
	got, err := New().Render(t.Context(), in)
	said := map[string]string{}
	for _, object := range got.Bundle.Objects {
		said[object.ID().Name] = object.String("data", "values")
	}
	return said, got.Notices, err
}

func TestDependencies(t *testing.T) {
	declared := func(more string) string { return chartYAML + "dependencies:\n" + more }
	folder := subchart("charts/db/", "db", "1.0.0", "own: x\nnone: ~\nexports: {data: {imported: from-db}}\n")
	for name, test := range map[string]struct {
		chart   string
		files   []string
		values  map[string]any
		want    map[string]string
		notices []string
		err     string
	}{
		"folder, undeclared": {chart: chartYAML, files: folder, want: map[string]string{"db": `{"exports":{"data":{"imported":"from-db"}},"global":{},"none":null,"own":"x"}`}},
		"values and globals for it": {
			chart: declared("- {name: db, version: ^1.0.0}\n"), files: subchart("charts/db/", "db", "1.0.0", "own: x\n"),
			values: map[string]any{"db": map[string]any{"own": "y"}, "global": map[string]any{"a": "b"}},
			want:   map[string]string{"db": `{"global":{"a":"b"},"own":"y"}`},
		},
		"archive": {
			chart: declared("- {name: db, version: 1.x}\n"), files: []string{"charts/db-1.0.0.tgz", archiveOf(t, subchart("", "db", "1.0.0", "own: x\n"))},
			want: map[string]string{"db": `{"global":{},"own":"x"}`},
		},
		"aliases": {
			chart: declared("- {name: db, version: 1.0.0, alias: one}\n- {name: db, version: 1.0.0, alias: two, condition: two.enabled}\n"), files: subchart("charts/db/", "db", "1.0.0", "own: x\n"),
			values: map[string]any{"one": map[string]any{"own": "first"}, "two": map[string]any{"enabled": false}},
			want:   map[string]string{"one": `{"global":{},"own":"first"}`},
		},
		"tags": {
			chart: declared("- {name: db, version: 1.0.0, tags: [storage]}\n"), files: folder, values: map[string]any{"tags": map[string]any{"storage": false}},
			want: map[string]string{},
		},
		"imported values": {
			chart: declared("- {name: db, version: 1.0.0, import-values: [data]}\n"), files: append(slices.Clone(folder),
				"templates/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: parent}\ndata: {values: {{ .Values.imported }}}\n"),
			want: map[string]string{"parent": "from-db", "db": `{"exports":{"data":{"imported":"from-db"}},"global":{},"own":"x"}`},
		},
		"absent and switched off": {
			chart: declared("- {name: db, version: 1.0.0, condition: db.enabled}\n"), values: map[string]any{"db": map[string]any{"enabled": false}},
			want:    map[string]string{},
			notices: []string{`chart demo: dependency db 1.0.0 is absent from charts/, and switched off by its condition "db.enabled"`},
		},
		"absent and switched on": {
			chart: declared("- {name: db, version: 1.0.0, condition: db.enabled}\n"), values: map[string]any{"db": map[string]any{"enabled": true}},
			err: `chart demo 1.2.3: dependency db 1.0.0 of demo is declared in Chart.yaml and absent from charts/: vendor the chart with its dependencies, or switch this one off by its condition "db.enabled"`,
		},
		"of a wrong version": {
			chart: declared("- {name: db, version: 2.0.0}\n"), files: subchart("charts/db/", "db", "1.0.0", ""),
			want:    map[string]string{"db": `{"global":{}}`},
			notices: []string{"chart demo: charts/ holds another version of dependency db than 2.0.0: it is rendered whatever conditions and tags say"},
		},
		"absent from a dependency": {
			chart: declared("- {name: db, version: 1.0.0}\n"), files: []string{"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\ndependencies: [{name: disk, version: 1.0.0}]\n"},
			err: "chart demo 1.2.3: dependency disk 1.0.0 of demo.db is declared in Chart.yaml and absent from charts/: vendor the chart with its dependencies, or switch this one off",
		},
		"values that are no map": {
			chart: declared("- {name: db, version: 1.0.0}\n"), files: folder, values: map[string]any{"db": "x"},
			err: "chart demo 1.2.3: processing dependencies: type mismatch on db: %!t(string=x)",
		},
		"library": {
			chart: declared("- {name: lib, version: 1.0.0}\n"), files: []string{
				"charts/lib/Chart.yaml", "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n",
				"charts/lib/templates/_map.tpl", "{{ define \"lib.map\" }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {values: from-lib}\n{{ end }}",
				"charts/lib/templates/no.yaml", "never: rendered",
				"templates/all.yaml", "{{ include \"lib.map\" . }}",
			},
			want: map[string]string{"demo": "from-lib"},
		},
		"crds of dependencies": {
			chart: declared("- {name: on, version: 1.0.0}\n- {name: off, version: 1.0.0, condition: off.enabled}\n"), files: []string{
				"charts/on/Chart.yaml", "apiVersion: v2\nname: on\nversion: 1.0.0\n", "charts/on/crds/a.yaml", "apiVersion: v1\nkind: CRD\nmetadata: {name: '{{ a }}'}\n---\napiVersion: v1\nkind: CRD\nmetadata: {name: b}\n",
				"charts/on/crds/README.md", "no manifest",
				"charts/off/Chart.yaml", "apiVersion: v2\nname: off\nversion: 1.0.0\n", "charts/off/crds/a.yaml", "apiVersion: v1\nkind: CRD\nmetadata: {name: off}\n",
			},
			values: map[string]any{"off": map[string]any{"enabled": false}}, want: map[string]string{"{{ a }}": "", "b": ""},
		},
		"requirements.yaml": {
			chart: strings.Replace(chartYAML, "v2", "v1", 1), files: append(slices.Clone(folder), "requirements.yaml", "dependencies: [{name: db, version: 1.0.0, condition: db.enabled}]"),
			values: map[string]any{"db": map[string]any{"enabled": false}}, want: map[string]string{},
		},
		"null dependency": {chart: declared("- ~\n"), err: "reading the chart: validation: dependencies must not contain empty or null nodes"},
		"broken archive": {
			chart: chartYAML, files: []string{"charts/db.tgz", "no archive"},
			err: "reading the chart: error unpacking subchart db.tgz in demo: gzip: invalid header",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := chartInput("", "", test.files...)
			in.Chart.(fstest.MapFS)["Chart.yaml"].Data = []byte(test.chart)
			in.Component.Merged, in.Component.AllowEmpty = test.values, true
			got, notices, err := shown(t, in)
			if text := errorText(err); text != test.err {
				t.Fatalf("error %s\nwant  %s", text, test.err)
			}
			if test.err != "" {
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ConfigMaps (-want +got):\n%s", diff)
			}
			var said []string
			for _, n := range notices {
				said = append(said, n.String())
			}
			if diff := cmp.Diff(test.notices, said); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}
