package dump

// role is what a file is to its module.
type role struct {
	stage *Stage // nil for a companion
	kind  Kind
}

// roleOf tells a file's role by what its name holds behind the module's.
func roleOf(suffix string) (role, bool) {
	if stem, format, ok := cutFormat(suffix); ok {
		if name, stage, ok := cutStage(stem); ok && name == "" {
			return role{&stage, format}, true
		}
		if name, stage, ok := cutPass(stem); ok && name == "" {
			return role{&stage, format}, true
		}
	}
	if _, kind, ok := cutCompanion(suffix); ok {
		return role{kind: kind}, true
	}
	kind, ok := unitKind(suffix)
	return role{kind: kind}, ok
}

// nameIn is the module's name in what follows the number in a file's name, where the end of that name alone gives it away.
func nameIn(rest string) (string, bool) {
	if stem, _, ok := cutFormat(rest); ok {
		if name, _, ok := cutStage(stem); ok {
			return name, true
		}
	}
	name, _, ok := cutCompanion(rest)
	return name, ok
}

// nameInPass is the same for pass dumps: less certain, for modules that have nothing else.
func nameInPass(rest string) (string, bool) {
	stem, _, ok := cutFormat(rest)
	if !ok {
		return "", false
	}
	name, _, ok := cutPass(stem)
	return name, ok
}
