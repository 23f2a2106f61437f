import type { Letter } from './letter.ts'
import type { Link } from './links.ts'
import type { Content, Facts, Template } from './message.ts'
import { textsOf, type Words } from './messages.ts'

export interface RenderParts {
  /** Null for a notice. */
  readonly link: Link | null
  /** The recipient's name as it is stored. */
  readonly name: string
  /** Life of the link. */
  readonly seconds: number
  /** Takes the place of our own text, by the kind of the letter. */
  readonly templates?: Readonly<Record<string, Template>> | undefined
}

const longestName = 100

/** The whole text of a mail: ours, or the one of the config file's template. */
export async function render(letter: Letter, parts: RenderParts): Promise<Content> {
  const facts = factsOf(letter, parts)
  const template =
    parts.templates && Object.hasOwn(parts.templates, letter.kind) ? parts.templates[letter.kind] : undefined
  return template ? checked(await template(facts), letter.kind) : contentOf(textsOf(facts), facts)
}

function factsOf(letter: Letter, { link, name, seconds }: RenderParts): Facts {
  const facts = {
    kind: letter.kind,
    to: letter.to,
    name: harmlessName(name),
    url: link?.url ?? null,
    token: link?.token ?? null,
    seconds,
    newEmail: 'newEmail' in letter ? letter.newEmail : null,
    invitation: null,
  }
  // The stored name is the inviter's, not the recipient's.
  return letter.kind === 'invitation'
    ? { ...facts, name: '', seconds: letter.seconds, invitation: invitationOf(letter) }
    : facts
}

const invitationOf = (letter: Extract<Letter, { kind: 'invitation' }>) => ({
  id: letter.invitationId,
  organizationName: harmlessName(letter.organizationName),
  inviterName: harmlessName(letter.inviterName),
  inviterEmail: letter.inviterEmail,
  role: letter.role,
})

/** One line without control and invisible characters, cut, and without anything that a mail program turns into a link. */
const harmlessName = (name: string): string =>
  Array.from(name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim())
    .slice(0, longestName)
    .join('')
    .replaceAll(/:(?=\/\/)/g, '[:]')
    .replaceAll(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '[.]')

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)

const contentOf = (words: Words, facts: Facts): Content => ({
  subject: words.subject,
  text: textLayout(words, facts),
  html: htmlLayout(words, facts),
})

const greeting = ({ name }: Facts): string => (name ? `Hello ${name},` : 'Hello,')

const inTerminal = ({ url }: Facts): string => (url ? 'Or in a terminal:' : 'In a terminal:')

function textLayout({ said, command, ends, otherwise }: Words, facts: Facts): string {
  const link = facts.url ? [`Open this link:\n${facts.url}`] : []
  const terminal = command ? [`${inTerminal(facts)}\n${command.replaceAll(/^/gm, '  ')}`] : []
  const paragraphs = [greeting(facts), ...said, ...link, ...terminal, ...(ends ? [ends] : []), otherwise]
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

function htmlLayout({ subject, said, action, command, ends, otherwise }: Words, facts: Facts): string {
  const parts = [paragraph(greeting(facts)), ...said.map((text) => paragraph(text))]
  if (facts.url) parts.push(`<p><a href="${escapeHtml(facts.url)}" style="${style.link}">${escapeHtml(action)}</a></p>`)
  if (command) parts.push(paragraph(inTerminal(facts)), `<pre style="${style.command}">${escapeHtml(command)}</pre>`)
  if (ends) parts.push(paragraph(ends, style.small))
  parts.push(paragraph(otherwise, style.small))
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="${style.body}"><div style="${style.card}">`,
    ...parts,
    '</div></body></html>',
    '',
  ].join('\n')
}

function checked(content: Content, kind: string): Content {
  const { subject, text, html } = content ?? {}
  if (![subject, text, html].every((part) => typeof part === 'string'))
    throw new Error(`The template of ${kind} mails gave no subject, text and html`)
  return { subject: subject.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), text, html }
}
