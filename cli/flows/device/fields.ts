import { parseDuration } from '../../settings/duration.ts'
import type { Completer } from '../field.ts'
import { offeredProviders } from './offered.ts'

export const offeredWords: Completer = async (context) =>
  (await offeredProviders(await context.asNobody(context.server))).map(({ id }) => id)

export const providerProblem = (text: string): string | undefined =>
  /^[a-z0-9_-]{1,64}$/.test(text) ? undefined : 'A provider is a word like google or github'

export const providerField = {
  kind: 'text',
  label: 'Provider (empty: choose on the page)',
  flag: '--provider <provider>',
  summary: 'sign in with a browser, at this provider: google, github, …',
  isOptional: true,
  complete: offeredWords,
  check: (text: string) => (text === '' ? undefined : providerProblem(text)),
} as const

const waitField = {
  kind: 'text',
  label: 'Longest wait',
  flag: '--wait <duration>',
  summary: 'how long to wait for the browser (5m); 0 checks once',
  isOptional: true,
  onlyInCommands: true,
  check: (text: string, name: string) =>
    parseDuration(text) === undefined ? `${name} must be a duration like 90s or 5m, at most 24h` : undefined,
} as const

const pictureField = {
  kind: 'toggle',
  label: 'QR code',
  flag: '--qr',
  summary: 'show the address as a QR code too',
  onlyInCommands: true,
} as const

/** Options for waiting for a browser sign-in. */
export const waitingFields = { wait: waitField, qr: pictureField } as const

const usualWait = 300_000

/** In milliseconds. */
export const waitOf = (text: string | undefined): number =>
  (text === undefined ? undefined : parseDuration(text)) ?? usualWait
