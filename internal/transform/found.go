package transform

import (
	"github.com/coldstart-gitops/gen/internal/component"
	"github.com/coldstart-gitops/gen/internal/manifest"
)

func foundEdges([]component.Component, []manifest.Bundle) []Edge { return nil }
