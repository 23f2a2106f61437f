import { Failure } from '../../../shared/failure.ts'
import { parseIpRange } from '../../limits/ip-range.ts'

/** Refuses a text that is no address and no range of them. */
export function requireRanges(ranges: readonly string[]): void {
  try {
    ranges.map(parseIpRange)
  } catch (cause) {
    throw new Failure('IP_RANGE_INVALID', { cause })
  }
}

/** Whether an address is in one of the ranges; none means anywhere. */
export const isWithin = (ranges: readonly string[], address: string): boolean =>
  ranges.length === 0 || ranges.some((range) => parseIpRange(range)(address))
