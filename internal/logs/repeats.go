package logs

// dropRepeats drops what a log says twice: through two handlers of one logger, or an error where it was raised and where it was
// caught.
func dropRepeats(events []Event) []Event {
	out := make([]Event, 0, len(events))
	at := map[Event]int{}
	for _, e := range events {
		key, once := repeatKey(e)
		if !once {
			if len(out) == 0 || !echo(out[len(out)-1], e) {
				out = append(out, e)
			}
			continue
		}
		if first, seen := at[key]; seen {
			if out[first].Where == (Location{}) {
				out[first].Where = e.Where
			}
			continue
		}
		at[key] = len(out)
		out = append(out, e)
	}
	return out
}

// repeatKey is what makes two events one, for the kinds that can only be said once. Compile times have nine digits: two equal ones
// are one compilation.
func repeatKey(e Event) (key Event, once bool) {
	switch e.Kind {
	case Compile:
		return Event{Kind: e.Kind, Program: e.Program, Value: e.Value}, true
	case Uncompilable, LeftOut:
		return Event{Kind: e.Kind, Program: e.Program, Op: e.Op, Node: e.Node}, true
	case Fallback:
		return Event{Kind: e.Kind, Op: e.Op}, true
	}
	return Event{}, false
}

// echo reports whether an event is the one before it again, from another handler.
func echo(last, e Event) bool {
	if last.logger == e.logger || e.Summary != nil {
		return false
	}
	last.Line, last.logger = e.Line, e.logger
	return last == e
}
