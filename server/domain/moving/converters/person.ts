import { type ProviderId, providerIds } from '../../../../shared/providers.ts'
import type { Made } from './converter.ts'

/** A user of another service, as far as it comes. */
export interface Person {
  readonly id: string
  readonly email: string | null | undefined
  readonly emailVerified: boolean
  readonly name?: string | null | undefined
  readonly image?: string | null | undefined
  readonly isBanned?: boolean | undefined
  readonly banExpires?: unknown
  readonly hasSecondFactor?: boolean | undefined
  readonly createdAt?: unknown
  readonly updatedAt?: unknown
}

/** A user of a provider, linked to a person. */
export interface Identity {
  /** As the other service calls it. */
  readonly name: string
  /** As it is called here; null if it is not known by that id here. */
  readonly provider: string | null
  readonly accountId: string | number
  /** The address that the provider stated, if it is known. */
  readonly email?: string | null | undefined
  readonly isVerified?: boolean | null | undefined
}

/** The user, the password, and an account for each identity. */
export function recordsOf(person: Person, identities: readonly Identity[], password?: string | null): readonly Made[] {
  const { id, email } = person
  if (typeof email !== 'string' || email.trim() === '')
    return [{ record: nameless('user', id), problem: 'EMAIL_MISSING' }]
  return [
    { record: userOf(person, email), hasSecondFactor: person.hasSecondFactor, altered: unreadOf(person) },
    ...(typeof password === 'string' ? [{ record: credential(id, password) }] : []),
    ...identities.map((identity) => accountOf(id, identity)),
  ]
}

const nameless = (type: string, id: string) => ({ type, id: id.slice(0, 255) })

function userOf({ id, emailVerified, name, image, isBanned, ...person }: Person, email: string) {
  const [banExpires, createdAt, updatedAt] = [person.banExpires, person.createdAt, person.updatedAt].map(momentOf)
  return {
    type: 'user',
    id,
    email,
    name: typeof name === 'string' && name.trim() !== '' ? name : email.replace(/@.*/, ''),
    emailVerified,
    ...(typeof image === 'string' && image !== '' && { image }),
    ...(isBanned && { banned: true }),
    ...(isBanned && banExpires !== null && { banExpires }),
    ...(createdAt !== null && { createdAt }),
    ...(updatedAt !== null && { updatedAt }),
  }
}

/** Those of its moments that cannot be read. */
const unreadOf = (person: Person): readonly string[] =>
  (['createdAt', 'updatedAt'] as const).filter((field) => Boolean(person[field]) && momentOf(person[field]) === null)

export const credential = (userId: string, password: string) => ({
  type: 'account',
  userId,
  providerId: 'credential',
  password,
})

/** An identity proves the mailbox only if its provider stated this very address, and not as unverified. */
export function accountOf(userId: string, { name, provider, accountId, email, isVerified }: Identity): Made {
  const id = String(accountId)
  if (provider === null) return { record: nameless('account', `${name} ${id}`), problem: 'PROVIDER_UNKNOWN' }
  const proof = proofOf(isVerified === false ? null : email)
  return { record: { type: 'account', userId, providerId: provider, accountId: id, ...proof } }
}

/** A verified address proves the mailbox of the user who has it; without one there is no proof. */
export const proofOf = (email: string | null | undefined) => (email ? { provenEmail: email } : { mailboxProof: null })

/**
 * The name of a provider here. Those of `others` are called otherwise there, or are null: their users have other ids
 * there.
 */
export function providerOf(name: string, others: Readonly<Record<string, ProviderId | null>>): ProviderId | null {
  if (Object.hasOwn(others, name)) return others[name] ?? null
  return providerIds.find((id) => id === name) ?? null
}

/** A provider of the operator's own, which `OIDC_<NAME>_…` sets up here. Never the name of a built-in one. */
export function ownProvider(name: string): string | null {
  const id = name.toLowerCase()
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && !providerIds.some((known) => known === id) ? id : null
}

/** ISO 8601, of a text, of milliseconds or of seconds. Null for anything else, and for what each machine reads otherwise. */
export function momentOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const date = new Date(countOf(String(value)) ?? isoOf(String(value)))
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Milliseconds. With ten digits they would be of the first months of 1970, so those are seconds. */
function countOf(text: string): number | null {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  return /^\d{11,14}$/.test(text) ? Number(text) : null
}

/** PostgreSQL writes `2024-01-02 03:04:05.6+00`, Go `2024-01-02 03:04:05.6 +0000 UTC`. Without a zone, it is UTC. */
const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:Z|([+-]\d\d):?(\d\d)?)?(?: ?UTC)?)?$/

function isoOf(text: string): string {
  const [, date = '', time, hours = '+00', minutes = '00'] = iso.exec(text) ?? []
  return time === undefined ? date : `${date}T${time}${hours}:${minutes}`
}
