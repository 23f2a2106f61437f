import type { MachineKey } from '../../../shared/machine-key.ts'
import type { FieldType } from '../../output/json.ts'

type Sponsored = Pick<MachineKey, 'sponsorId' | 'sponsorName' | 'authority'>

/** Of a key and of a trust rule alike, for JSON. */
export const sponsorFields = { sponsorId: 'text?', sponsorName: 'text?', authority: 'text?' } as const satisfies Record<
  keyof Sponsored,
  FieldType
>

/** Who is responsible for a machine, and what that leaves of its roles; null for a key of one's own. */
export function sponsorText({ sponsorId, sponsorName, authority }: Sponsored): string | null {
  if (sponsorId === null) return null
  const name = sponsorName ?? 'a deleted user'
  if (authority === 'full' || authority === null) return name
  return authority === 'none'
    ? `${name}, no active member: it may do nothing`
    : `${name}, who may do less than its roles`
}

/** What is to be known of a rule whose jobs may not do all that its roles allow. */
export const authorityText = ({ authority }: Pick<Sponsored, 'authority'>): string =>
  ({ full: '', limited: 'limited', none: 'powerless' })[authority ?? 'full']
