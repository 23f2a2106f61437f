import type { KeyObject } from 'node:crypto'
import type { Sealer } from '../crypto/sealer.ts'
import { invitationPage, linkOf } from './links.ts'
import type { Message, Template } from './message.ts'
import { MailPayload } from './payload.ts'
import { render } from './render.ts'

/** A mail as the outbox keeps it. */
export interface StoredMail {
  readonly id: string
  readonly payload: Uint8Array
  readonly userId: string | null
  /** The user's name, where there is a user. */
  readonly name: string | null
  /** Life of the link, where there is one. */
  readonly linkSeconds: number | null
}

/** A mail ready to be sent, with what a reader of the outbox wants to know of it. */
export interface Mail extends Message {
  readonly kind: string
  readonly url: string | null
  readonly token: string | null
  /** Of an invitation mail. */
  readonly invitationId: string | null
}

export interface ComposeParts {
  readonly base: string
  readonly keys: { readonly mail: readonly KeyObject[]; readonly outbox: Sealer }
  readonly templates?: Readonly<Record<string, Template>> | undefined
  readonly now: Date
  /** See LinkParts. */
  readonly isByPage: boolean
}

/** What is stored cannot be decrypted with our secrets, or is no mail: trying again does not help. */
export class UnreadableMail extends Error {
  override readonly name = 'Unreadable'
}

/** Decrypts a stored mail, makes its link now, and writes its text. Throws UnreadableMail, or what a template throws. */
export async function composeMail(
  stored: StoredMail,
  { base, keys, templates, now, isByPage }: ComposeParts,
): Promise<Mail> {
  const payload = payloadOf(stored, keys.outbox)
  const seconds = stored.linkSeconds ?? 0
  const link = await linkOf(payload, { base, keys: keys.mail, userId: stored.userId, seconds, now, isByPage })
  const content = await render(payload, { service: base, link, name: stored.name ?? '', seconds, templates })
  return {
    ...content,
    id: stored.id,
    kind: payload.kind,
    to: payload.to,
    url: link?.url ?? pageOf(payload, base),
    token: link?.token ?? null,
    invitationId: payload.kind === 'invitation' ? payload.invitationId : null,
  }
}

const pageOf = (payload: MailPayload, base: string): string | null =>
  payload.kind === 'invitation' ? invitationPage(base, payload.invitationId) : null

function payloadOf({ id, payload }: StoredMail, sealer: Sealer): MailPayload {
  try {
    return MailPayload.parse(JSON.parse(sealer.open(Buffer.from(payload), id)))
  } catch (cause) {
    throw new UnreadableMail('No secret at hand opens this mail', { cause })
  }
}
