import type { SigningKey } from '../../../shared/token.ts'
import { relativeTime } from '../../output/time.ts'
import { type Flow, noSubject } from '../flow.ts'

const fields = {
  isImmediate: {
    kind: 'toggle',
    label: 'A key has leaked',
    flag: '--immediate',
    summary:
      'a key has leaked: ends all existing keys, and every token they signed, once verifiers load the keys again',
    key: 'revoke',
  },
} as const

/** The published keys, and the id of the new one. */
interface KeyRotation {
  readonly id: string
  readonly keys: readonly SigningKey[]
}

export const rotateKeys: Flow<undefined, typeof fields, unknown, KeyRotation> = {
  command: 'admin keys rotate',
  summary:
    'Create a new key to sign tokens for other services; it starts signing once verifiers have had time to load it',
  title: 'Rotate the signing keys',
  subject: noSubject,
  fields,
  call: '/admin/rotate-keys',
  answer: { id: 'text', keys: 'any' },
  examples: ['--yes', '--immediate --yes'],
  consent: { question: () => 'Create a new key to sign tokens for other services?' },
  note: () => 'Earlier keys stay published until the last token they signed has expired, unless one has leaked.',
  run: async (context, _, { isImmediate }) => {
    const { api } = await context.signedIn()
    const before = isImmediate ? [] : (await api.token.getKeys()).keys
    const { keys } = await api.token.rotateKeys(isImmediate ? { revoke: true } : {})
    const resource = { id: newestOf(keys)?.id ?? '', keys }
    if (isImmediate) return { sentence: everyKeyEnded, status: 'created', resource }
    const begins = beginWords(keys, context.now())
    // While a new key is waiting to sign, the service creates no other.
    if (keys.every(({ id }) => before.some(({ kid }) => kid === id)))
      return { sentence: `A new key is already waiting: it ${begins}`, status: 'unchanged', resource }
    return { sentence: `A new key ${begins}`, status: 'created', resource }
  },
}

const everyKeyEnded =
  'A new key signs. Earlier keys are no longer published: verifiers refuse their tokens once they load the keys again'

function beginWords(keys: readonly SigningKey[], now: number): string {
  const newest = newestOf(keys)
  return `begins to sign ${newest ? relativeTime(newest.signsFrom, now) : 'at once'}`
}

const newestOf = (keys: readonly SigningKey[]): SigningKey | undefined =>
  keys.toSorted((one, other) => other.signsFrom.getTime() - one.signsFrom.getTime())[0]
