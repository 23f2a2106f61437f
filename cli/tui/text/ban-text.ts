import type { FullUser } from '../../../shared/entities.ts'
import { fullTime } from './session-text.ts'

/** What the service says where nobody gave a reason. */
const unsaid = 'No reason'

/** Of who is banned: why, and how long. */
export function banText({ banReason, banExpires }: Pick<FullUser, 'banReason' | 'banExpires'>): string {
  const reason = banReason === null || banReason === unsaid ? 'no reason given' : banReason
  return `${reason}, ${banExpires ? `ends ${fullTime(banExpires)}` : 'for good'}`
}
