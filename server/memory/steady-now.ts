const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/**
 * Milliseconds of a clock that nobody sets, for whatever ends after a while and is in memory only. With the time of day,
 * a clock that is set back would keep it for as long as the clock was ahead. All processes of a machine have the same.
 * Whole ones, so that sums are exact: a wait of an hour must not round up to a second more.
 */
export const steadyNow = (): number => Math.floor(offset + performance.now())
