/**
 * What settling under a claim came to. `settled` now; `settled-before`: an earlier try of the same settlement went through, though its answer
 * was lost; `superseded`: the job or delivery was taken from this claim or ended by another, and nothing was written.
 */
export type Settled = 'settled' | 'settled-before' | 'superseded';
