import type { MachineKey } from '../../../shared/machine-key.ts'
import type { FieldsOf } from '../resource-fields.ts'

type Sponsored = Pick<MachineKey, 'sponsorId' | 'sponsorName' | 'authority'>

/** Who is responsible for a machine, and whether that limits its roles; null for a user's own key. */
export function sponsorText({ sponsorId, sponsorName, authority }: Sponsored): string | null {
  if (sponsorId === null) return null
  const name = sponsorName ?? 'a deleted user'
  if (authority === 'full' || authority === null) return name
  return authority === 'none'
    ? `${name}, not an active member: it can do nothing`
    : `${name}, who has fewer permissions than its roles`
}

/** `limited` or `powerless` for a machine that cannot do everything its roles allow. Empty otherwise. */
export const authorityText = ({ authority }: Pick<Sponsored, 'authority'>): string =>
  ({ full: '', limited: 'limited', none: 'powerless' })[authority ?? 'full']

const tones = { full: 'plain', limited: 'warning', none: 'danger' } as const
export const sponsorTone = ({ authority }: Pick<Sponsored, 'authority'>) => tones[authority ?? 'full']

/** Common to keys and trust rules. */
export const sponsorFields = {
  sponsorId: { title: 'Responsible, id', type: 'text?' },
  sponsorName: { title: 'Responsible, name', type: 'text?' },
  authority: { title: 'Authority', type: 'text?' },
  responsible: {
    title: 'Responsible',
    value: sponsorText,
    inDetail: (machine) => sponsorText(machine) ?? undefined,
    tone: sponsorTone,
  },
} as const satisfies FieldsOf<Sponsored, Sponsored>
