package coldstart

import "context"

// brake ends a proof that nobody waits for any more. What is found after that means nothing, and ProveUntil hands none of it out.
type brake struct {
	ctx context.Context
	err error
}

// pulled reports whether the proof is to end. Whatever goes over all objects, or proves once more, asks.
func (b *brake) pulled() bool {
	if b != nil && b.err == nil && b.ctx.Err() != nil {
		b.err = context.Cause(b.ctx)
	}
	return b != nil && b.err != nil
}

// ProveUntil is Prove until the context ends. Its error is the cause of that.
func ProveUntil(ctx context.Context, in Input) (Proof, error) {
	in.brake = &brake{ctx: ctx}
	proof := Prove(in)
	if in.brake.pulled() {
		return Proof{}, in.brake.err
	}
	return proof, nil
}
