# What CI verifies, one command here does.
.PHONY: test lint check conform bench demo update e2e

test: ## every test of the module
	go test ./...

lint: ## gofmt, go vet and golangci-lint with .golangci.yml, of test/e2e too
	.ci/lint

check: ## output/ is what the model renders
	go run ./cmd/gen check --world demo

conform: ## kubeconform -strict on output/, with the schemas of each environment's Kubernetes
	.ci/conform

bench: ## the benchmarks, once each, with allocations
	go test -run '^$$' -bench . -benchmem ./...

demo: ## the main job on the embedded world
	go run ./cmd/gen demo

e2e: ## the judge: a real Argo CD brings up output/ and every scenario; the first run builds it, which takes long (docs/judge.md)
	cd test/e2e && go test -count=1 -timeout 60m ./...

update: ## mend the golden files and output/
	go generate ./internal/manifest
	go test ./cmd/gen -update
	go run ./cmd/gen schema > environments/schema.json
	go run ./cmd/gen charts lock --renew --world demo
	go run ./cmd/gen images lock --world demo
	go run ./cmd/gen render --world demo
