// Package untranslated keeps kubectl's packages, which argo-cd's health checks link, from reading their translations.
//
// They unpack them before main, for help texts that nobody sees here: 15 of the 45 ms that a start took. kubectl states that its
// loader must be replaced before any of its own packages asks (pkg/util/i18n, SetLoadTranslationsFunc). This package imports
// nothing but that one, and its path sorts before theirs, which is the order in which Go initialises packages.
package untranslated

import "k8s.io/kubectl/pkg/util/i18n"

// Err says that something had asked for translations already: they were read, and nothing else is wrong.
var Err = i18n.SetLoadTranslationsFunc(func() error { return nil })
