import { clockText } from '../../output/time.ts'
import { useNow } from './use-now.ts'

/** What is left until a moment (milliseconds since 1970), counted down. */
export const useTimeLeft = (until: number): string => clockText(until - useNow(1000))
