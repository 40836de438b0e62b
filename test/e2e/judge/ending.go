package judge

import "time"

// Ending is what Argo CD shows of one Application in the end, in the words of `gen prove`.
type Ending string

// The endings.
const (
	Settled Ending = "settled" // Synced and Healthy
	Ends    Ending = "ends"    // its operation succeeded, and it does not become Synced and Healthy
	Hangs   Ending = "hangs"   // its operation runs, waits, and has not failed for a while
	Tries   Ending = "fails"   // its attempts fail
	Idle    Ending = "idle"    // it is there, and no operation begins
	Absent  Ending = "absent"  // its Application object was never made
)

// hangsAfter is for how long no attempt may have failed if an operation is to hang: the longest pause between attempts that a
// scenario asks for is ten seconds, and an attempt may take some on a busy machine.
const hangsAfter = 30 * time.Second

// ending reads the last look, taken `now` after the watch began.
func (a Application) ending(now time.Duration) Ending {
	switch {
	case a.fights() && !a.failing():
		return Ends
	case a.settled():
		return Settled
	case a.Broken != "" && a.Phase == "":
		return Idle
	case a.failing():
		return Tries
	case a.Phase == "Running" && a.LastFailed > 0 && now-a.LastFailed < hangsAfter:
		return Tries
	case a.Phase == "Running":
		return Hangs
	case a.Phase == "":
		return Idle
	}
	return Ends
}
