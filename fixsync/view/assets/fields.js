// The numbers that the worker sends of a pair in a frame, in order; NaN where the kernel has none.
export const PAIR_FIELDS = ["why", "grows", "sector", "height", "planar", "gap", "turn"];
