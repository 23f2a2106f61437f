import type { KeyObject } from 'node:crypto'
import { knownLanguage, type Language } from '../../shared/languages.ts'
import { serviceAddress } from '../../shared/service-address.ts'
import type { Config } from '../config.ts'
import type { Sealer } from '../crypto/sealer.ts'
import { fill, type Words, wordsOf } from '../languages/words.ts'
import { createMailLink, invitationPage, type MailLink, serviceBaseOf } from './links.ts'
import type { Mail, MailContent, Template, TemplateFacts } from './message.ts'
import { MailLanguage, MailPayload } from './outbox.ts'
import { type MailText, mailTextOf } from './texts.ts'
import { withTimeout } from './with-timeout.ts'

/** A mail as stored in the outbox. */
export interface StoredMail {
  readonly id: string
  readonly payload: Uint8Array
  readonly userId: string | null
  /** Null when there is no user. */
  readonly name: string | null
  /** In which the user wants mails. Null when they said nothing. */
  readonly language: string | null
  /** Lifetime of the link. Null without a link. */
  readonly linkSeconds: number | null
}

export interface ComposeParts {
  readonly config: Pick<
    Config,
    | 'BASE_URL'
    | 'BASE_PATH'
    | 'VERIFICATION_LINK'
    | 'EMAIL_PASSWORD'
    | 'RESET_PASSWORD'
    | 'DEFAULT_LANGUAGE'
    | 'INVITATION_URL'
    | 'extensions'
  >
  readonly keys: { readonly mail: readonly KeyObject[]; readonly outbox: Sealer }
  readonly now: Date
}

/** A stored mail that our secrets cannot decrypt, or that is malformed. Another process may be able to read it. */
export class UnreadableMail extends Error {
  override readonly name = 'Unreadable'
}

/** A template of the config file that wrote no mail. */
export class UnusableTemplate extends Error {
  override readonly name = 'UnusableTemplate'
}

/** Decrypts a stored mail, makes its link and writes its text. Throws UnreadableMail, or whatever a template throws. */
export async function composeMail(stored: StoredMail, { config, keys, now }: ComposeParts): Promise<Mail> {
  const base = serviceBaseOf(config)
  const { payload, language } = payloadOf(stored, keys.outbox)
  const seconds = stored.linkSeconds ?? 0
  const own = ownLanguageOf(payload, stored)
  const facts = {
    base,
    keys: keys.mail,
    userId: stored.userId,
    seconds,
    now,
    isByPage: config.VERIFICATION_LINK === 'page',
    language: own,
  }
  const link = await createMailLink(payload, facts)
  const content = await render(payload, {
    service: base,
    link,
    name: stored.name ?? '',
    seconds,
    language: own ?? language ?? config.DEFAULT_LANGUAGE,
    ...settingsOf(config),
  })
  return {
    ...content,
    id: stored.id,
    kind: payload.kind,
    to: payload.to,
    url: link?.url ?? pageOf(payload, base, config.INVITATION_URL),
    token: link?.token ?? null,
    invitationId: payload.kind === 'invitation' ? payload.invitationId : null,
  }
}

/** What the text of a mail takes from the settings. */
const settingsOf = (config: ComposeParts['config']) => ({
  templates: config.extensions.mailTemplates,
  invitationUrl: config.INVITATION_URL,
  canResetPassword: config.EMAIL_PASSWORD && config.RESET_PASSWORD,
})

/** The user of an invitation's mail is the inviter; the use case asks for the language of whoever is invited. */
const ownLanguageOf = ({ kind }: MailPayload, { language }: StoredMail): Language | null =>
  kind === 'invitation' ? null : knownLanguage(language)

const pageOf = (payload: MailPayload, base: string, application: string | undefined): string | null =>
  payload.kind === 'invitation' ? invitationPage(base, application, payload.invitationId) : null

/** Null for a mail that no configured secret decrypts. */
export function recipientOf(stored: Pick<StoredMail, 'id' | 'payload'>, sealer: Sealer): string | null {
  try {
    return payloadOf(stored, sealer).payload.to
  } catch (error) {
    if (error instanceof UnreadableMail) return null
    throw error
  }
}

function payloadOf({ id, payload }: Pick<StoredMail, 'id' | 'payload'>, sealer: Sealer) {
  try {
    const opened: unknown = JSON.parse(sealer.open(Buffer.from(payload), id))
    return { payload: MailPayload.parse(opened), language: MailLanguage.parse(opened).language }
  } catch (cause) {
    throw new UnreadableMail('No configured secret can decrypt this mail', { cause })
  }
}

interface RenderParts {
  /** The public address of the service, with its base path. */
  readonly service: string
  /** Null for a notice. */
  readonly link: MailLink | null
  /** The recipient's name as stored. */
  readonly name: string
  /** Lifetime of the link. */
  readonly seconds: number
  /** Templates that replace our text, by the kind of the mail. */
  readonly templates?: Readonly<Record<string, Template>> | undefined
  readonly language: Language
  /** The application's page for invitations, as configured. */
  readonly invitationUrl?: string | undefined
  readonly canResetPassword?: boolean
}

const maxNameLength = 100
/** Milliseconds for a template of the config file. */
const templateTimeout = 5000

/** The content of a mail: ours, or from a template of the config file. */
export async function render(payload: MailPayload, parts: RenderParts): Promise<MailContent> {
  const facts = factsOf(payload, parts)
  const template =
    parts.templates && Object.hasOwn(parts.templates, payload.kind) ? parts.templates[payload.kind] : undefined
  if (!template) return contentOf(facts, wordsOf(parts.language))
  return checked(await withTimeout(templateTimeout, 'A mail template', async () => template(facts)), payload.kind)
}

function factsOf(
  payload: MailPayload,
  { service, link, name, seconds, language, invitationUrl, canResetPassword = true }: RenderParts,
): TemplateFacts {
  const facts = {
    kind: payload.kind,
    to: payload.to,
    language,
    service,
    name: sanitizeName(name),
    url: link?.url ?? null,
    token: link?.token ?? null,
    seconds,
    newEmail: newEmailOf(payload),
    provider: 'provider' in payload ? payload.provider : null,
    endedWays: endedWaysOf(payload),
    canResetPassword,
    invitation: null,
  }
  // The stored name is the inviter's, not the recipient's.
  return payload.kind === 'invitation'
    ? {
        ...facts,
        name: '',
        url: invitationPage(service, invitationUrl, payload.invitationId),
        seconds: payload.seconds,
        invitation: invitationOf(payload),
      }
    : facts
}

function newEmailOf(payload: MailPayload): string | null {
  if ('newEmail' in payload) return payload.newEmail
  return payload.kind === 'verify-email' && payload.from !== undefined ? payload.to : null
}

function endedWaysOf(payload: MailPayload): readonly string[] {
  if (payload.kind === 'unproven-sign-ins-ended') return payload.ways
  return payload.kind === 'password-changed' ? (payload.ended ?? []) : []
}

const invitationOf = (payload: Extract<MailPayload, { kind: 'invitation' }>) => ({
  id: payload.invitationId,
  organizationName: sanitizeName(payload.organizationName),
  inviterName: sanitizeName(payload.inviterName),
  inviterEmail: payload.inviterEmail,
  role: payload.role,
})

/**
 * One line, shortened, without control and invisible characters and without anything that a mail program turns into a
 * link.
 */
const sanitizeName = (name: string): string =>
  Array.from(name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim())
    .slice(0, maxNameLength)
    .join('')
    .replaceAll(/:(?=\/\/)/g, '[:]')
    .replaceAll(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '[.]')

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)

function contentOf(facts: TemplateFacts, words: Words): MailContent {
  const text = mailTextOf(facts, words)
  const parts = { text, words: frameOf(facts, words), url: facts.url }
  return { subject: text.subject, text: textLayout(parts), html: htmlLayout(parts) }
}

interface Layout {
  readonly text: MailText
  readonly words: ReturnType<typeof frameOf>
  readonly url: string | null
}

/** The frame around the text of every mail. */
const frameOf = ({ name, service, url }: TemplateFacts, { language, mail }: Words) => ({
  language,
  hello: name ? fill(mail.helloName, { name }) : mail.hello,
  open: mail.open,
  terminal: url ? mail.orTerminal : mail.terminal,
  from: fill(mail.from, { service: serviceAddress(service) }),
})

function textLayout({ text: { said, command, ends, otherwise }, words, url }: Layout): string {
  const link = url ? [`${words.open}\n${url}`] : []
  const terminal = command ? [`${words.terminal}\n${command.replaceAll(/^/gm, '  ')}`] : []
  const paragraphs = [words.hello, ...said, ...link, ...terminal, ...(ends ? [ends] : []), ...otherwise, words.from]
  return `${paragraphs.join('\n\n')}\n`
}

const style = {
  body: 'margin:0;padding:24px;background:#f6f6f4;color:#1c1c1a;font:16px/1.5 system-ui,sans-serif',
  card: 'max-width:560px;margin:0 auto;padding:24px;background:#fff;border-radius:8px',
  link: 'display:inline-block;padding:10px 18px;background:#1f5f4a;color:#fff;border-radius:6px;text-decoration:none',
  command: 'padding:12px;background:#f0f0ec;border-radius:6px;white-space:pre-wrap;word-break:break-all',
  small: 'color:#5c5c58;font-size:14px',
}

const paragraph = (text: string, css = ''): string => `<p${css ? ` style="${css}"` : ''}>${escapeHtml(text)}</p>`

function htmlLayout({ text, words, url }: Layout): string {
  const { subject, said, action, command, ends, otherwise } = text
  const parts = [paragraph(words.hello), ...said.map((one) => paragraph(one))]
  if (url) parts.push(`<p><a href="${escapeHtml(url)}" style="${style.link}">${escapeHtml(action)}</a></p>`)
  if (command) parts.push(paragraph(words.terminal), `<pre style="${style.command}">${escapeHtml(command)}</pre>`)
  if (ends) parts.push(paragraph(ends, style.small))
  parts.push(...[...otherwise, words.from].map((one) => paragraph(one, style.small)))
  return [
    '<!doctype html>',
    `<html lang="${words.language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="${style.body}"><div style="${style.card}">`,
    ...parts,
    '</div></body></html>',
    '',
  ].join('\n')
}

function checked(content: MailContent, kind: string): MailContent {
  const { subject, text, html } = content ?? {}
  if (![subject, text, html].every((part) => typeof part === 'string'))
    throw new UnusableTemplate(`The template of ${kind} mails must return subject, text and html`)
  return { subject: subject.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), text, html }
}
