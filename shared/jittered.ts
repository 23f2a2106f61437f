/** From three to five quarters of a time, so that neither several processes nor what failed together stay in step. */
export const jittered = (time: number): number => time * (0.75 + Math.random() / 2)
