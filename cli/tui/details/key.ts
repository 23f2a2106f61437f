import type { MachineKey } from '../../../shared/machine-key.ts'
import { keyStatus, secretEnd } from '../../flows/key/keys.ts'
import { sponsorText } from '../../flows/key/sponsor.ts'
import { roleText } from '../../output/role-text.ts'
import { fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

export const keyTones = {
  active: 'plain',
  limited: 'warning',
  expiring: 'warning',
  powerless: 'danger',
  expired: 'danger',
} as const

const sponsorTones = { full: 'plain', limited: 'warning', none: 'danger' } as const

export const sponsorTone = ({ authority }: Pick<MachineKey, 'authority'>) => sponsorTones[authority ?? 'full']

/** A key for machines, without what opens the door. */
export function keyDetail(key: MachineKey): Detail {
  const status = keyStatus(key, Date.now())
  const { name, role, scopes, ipRanges, expiresAt, lastUsedAt, lastUsedIp, overlapEndsAt, createdAt, id } = key
  const sponsor = sponsorText(key)
  const used = lastUsedAt ? `${fullTime(lastUsedAt)}, from ${lastUsedIp ?? 'an unknown address'}` : 'never'
  const ends = `${fullTime(expiresAt)}${status === 'active' ? '' : `, ${status}`}`
  const secret = `${secretEnd(key)}${overlapEndsAt ? `; the one of before ends ${fullTime(overlapEndsAt)}` : ''}`
  return {
    title: name,
    facts: [
      { label: 'Name', value: name },
      { label: 'Used last', value: used },
      { label: 'Expires', value: ends, tone: keyTones[status] },
      ...(sponsor === null ? [] : [{ label: 'Responsible', value: sponsor, tone: sponsorTone(key) }]),
      { label: 'Roles', value: role ? roleText(role) : 'acts as you' },
      { label: 'Scopes', value: scopes?.join(', ') ?? 'all that keys may' },
      { label: 'Taken from', value: ipRanges.join(', ') || 'anywhere' },
      { label: 'Secret', value: secret },
      { label: 'Since', value: fullTime(createdAt) },
      { label: 'ID', value: id },
    ],
  }
}
