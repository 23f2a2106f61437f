import { relativeTime } from '../../output/time.ts'
import type { Flow } from '../flow.ts'
import { secondsIn, spanProblem } from '../moment.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { type NamedKey, oneKey } from './keys.ts'
import { expiresField, type ShownKey, shownKey, shownKeyFields } from './new-key.ts'

/** Seconds: thirty days. */
const maxOverlap = 2_592_000

const fields = {
  overlap: {
    kind: 'text',
    label: 'Old one works for',
    flag: '--overlap <time>',
    summary: 'how long the one of before still works, like 1h; 0: no longer (24h)',
    key: 'overlap',
    isOptional: true,
    check: (text: string, name: string) => (text === '0' ? undefined : spanProblem(text, name, { most: maxOverlap })),
  },
  expires: { ...expiresField, summary: 'a new life for the key, like 30d; default: as before' },
} as const

export const rotateKey: Flow<NamedKey, typeof fields, OrganizationView | undefined, ShownKey> = {
  command: 'key rotate',
  summary: 'Give a key a new secret, which is shown once; the one of before works for a while',
  title: 'Rotate',
  writes: true,
  needsSession: true,
  subject: oneKey,
  fields,
  call: '/key/rotate',
  answer: shownKeyFields,
  examples: ['deploy', 'deploy --overlap 1h --expires 30d', 'deploy --overlap 0 --quiet > key.txt'],
  note: ({ key }) => `A new secret for ${key.name}, shown once. Without a time, the old one works for a day.`,
  disabledReason: (several, view) => whyNotReplace(several, view),
  run: async (ports, { key }, { overlap, expires }) => {
    const { api } = await ports.signedIn()
    const expiresIn = expires ? secondsIn(expires) : undefined
    const made = await api.key.rotateKey({
      keyId: key.id,
      ...(overlap && { overlap: secondsIn(overlap) ?? 0 }),
      ...(expiresIn !== undefined && { expiresIn }),
    })
    const sentence = `Rotated the key ${made.name}${overlapWords(made.overlapEndsAt, ports.now())}`
    return { sentence, status: 'updated', resource: shownKey(made, ports.now()), secret: made.token }
  },
}

const overlapWords = (end: Date | null, now: number): string =>
  end ? `; the one of before ends ${relativeTime(end, now)}` : '; the one of before works no longer'

/** Who rotates a key has it in hands, as if they had made it anew. */
function whyNotReplace(several: readonly NamedKey[], view: OrganizationView | undefined): string | undefined {
  if (!view || several.every(({ key }) => key.organizationId === null)) return undefined
  return whyNotPermitted(view, 'member:create') ?? whyNotPermitted(view, 'member:delete')
}
