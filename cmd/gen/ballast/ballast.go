// Package ballast keeps the garbage collector from running in a render that needs less memory than it holds.
//
// It is address space that is never touched, so it costs no memory. It has to be there before other packages are initialised: what
// is linked allocates 15 MB before main, and collecting that was a quarter of what a start cost. Go initialises packages by import
// path as soon as what they import is ready; this one imports nothing.
package ballast

// Unused is the ballast.
var Unused = make([]byte, 256<<20)
