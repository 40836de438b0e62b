// Package image parses image references, maps them through mirror rules, fetches manifests from registries and compares them:
// every reference gets a Result with a Verdict, and only the verdict Same may ever lead to a rewritten reference.
package image
