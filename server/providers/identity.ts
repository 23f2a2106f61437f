import { canonicalEmail, isEmail } from '../../shared/email.ts'
import { isPicture } from '../../shared/text-rules.ts'
import { type Profile, ProviderError } from './provider.ts'

/** A verified profile, reduced to what we store. Only provider and id together identify a person, never the address. */
export interface Identity {
  readonly id: string
  readonly email: string | null
  /** Whether the provider says that the address is verified. */
  readonly emailVerified: boolean
  /** Empty when the provider gives none. */
  readonly name: string
  readonly image: string | null
  /** Whether the picture could not be read now. */
  readonly isImageUnread: boolean
}

/** The limit of `profileFields.name`. */
const maxNameLength = 200
const maxIdLength = 255

/** Throws for a profile without an id: an error response that looks like a profile must never become a user. */
export function identityOf({ id, name, email, emailVerified, image, isImageUnread = false }: Profile): Identity {
  const address = typeof email === 'string' && isEmail(email) ? canonicalEmail(email) : null
  return {
    id: idOf(id),
    email: address,
    emailVerified: address !== null && emailVerified === true,
    name: typeof name === 'string' ? nameOf(name) : '',
    image: typeof image === 'string' && isSafePicture(image) ? image : null,
    isImageUnread,
  }
}

function idOf(id: unknown): string {
  const text = Number.isSafeInteger(id) && (id as number) > 0 ? String(id) : id
  if (typeof text === 'string' && /^[^\p{C}\s]+$/u.test(text) && text.length <= maxIdLength) return text
  throw new ProviderError('profile', 'The profile has no id')
}

/** One line without control characters, which terminals and mails would interpret. */
const nameOf = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, maxNameLength)
    .toWellFormed()

const isSafePicture = (image: string): boolean => isPicture(image) && /^(https|data):/.test(image)
