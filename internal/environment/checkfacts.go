package environment

type factChecker struct {
	joiner
	env *Environment
}

func (f factChecker) check() {}
