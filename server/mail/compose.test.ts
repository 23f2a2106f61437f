import { createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Language } from '../../shared/languages.ts'
import { render } from './compose.ts'
import { createMailLink } from './links.ts'
import type { MailKind, MailPayload } from './outbox.ts'

const to = 'ann@example.com'
const payloads: Readonly<Record<MailKind, MailPayload>> = {
  'verify-email': { kind: 'verify-email', to, jti: 'j' },
  'change-email': { kind: 'change-email', to, jti: 'j', newEmail: 'new@example.com' },
  'reset-password': { kind: 'reset-password', to, token: 't' },
  'delete-account': { kind: 'delete-account', to, token: 't' },
  'email-changed': { kind: 'email-changed', to, newEmail: 'new@example.com' },
  'password-changed': { kind: 'password-changed', to },
  'account-linked': { kind: 'account-linked', to, provider: 'Google' },
  'account-unlinked': { kind: 'account-unlinked', to, provider: 'Google' },
  'unproven-sign-ins-ended': { kind: 'unproven-sign-ins-ended', to, ways: ['the password', 'Discord'] },
  'sign-up-again': { kind: 'sign-up-again', to },
  invitation: {
    kind: 'invitation',
    to,
    invitationId: 'the-id',
    organizationName: 'Acme',
    inviterName: 'Bob',
    inviterEmail: 'bob@example.com',
    role: 'member',
    seconds: 172_800,
  },
}
const link = { token: 'the-token', url: 'https://id.example.com/api/auth/verify-email?token=the-token&callbackURL=%2F' }
const service = 'https://id.example.com/api/auth'
const language: Language = 'en'
const at = '--url https://id.example.com'
const commands = {
  'verify-email': `postern account email verify the-token ${at}`,
  'change-email': `postern account email verify the-token ${at}`,
  'reset-password': `postern account password reset the-token ${at}`,
  'delete-account': `echo the-token | postern account delete --confirm ann@example.com --token-file - ${at}`,
} as const

describe('a mail with a link', () => {
  it.each(Object.entries(commands))('%s has link, command and end in both bodies', async (kind, command) => {
    const mail = await render(payloads[kind as MailKind], { language, service, link, name: 'Ann', seconds: 3600 })
    expect(mail.text).toContain(link.url)
    expect(mail.html).toContain(`href="${link.url.replace('&', '&#38;')}"`)
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain(command)
      expect(body).toContain('the-token')
      expect(body).toContain('1 hour after this mail was sent')
      expect(body).toContain('Hello Ann,')
    }
  })

  it.each([
    [60, '1 minute'],
    [5400, '90 minutes'],
    [86_400, '1 day'],
    [172_801, '172801 seconds'],
  ])('tells a life of %d seconds as %s', async (seconds, told) => {
    expect((await render(payloads['reset-password'], { language, service, link, name: '', seconds })).text).toContain(
      `expires ${told} after this mail was sent`,
    )
  })
})

describe('a mail that verifies an address', () => {
  const textOf = async (payload: MailPayload, isByPage: boolean) => {
    const keys = [createSecretKey(Buffer.alloc(32))]
    const facts = { base: service, keys, userId: 'u', seconds: 60, now: new Date(), isByPage, language: null }
    const made = await createMailLink(payload, facts)
    return (await render(payload, { language, service, link: made, name: '', seconds: 60 })).text
  }
  const moved: MailPayload = { kind: 'verify-email', to: 'new@example.com', jti: 'j', from: to }

  it('sends a stranger to the page that asks, where the link leads there', async () => {
    const text = await textOf(payloads['verify-email'], true)
    expect(text).toContain('If it was not you, open the link anyway')
    expect(text).toContain(`${service}/page/verify-email?token=`)
  })

  it('keeps a stranger from a link that verifies at once', async () => {
    const text = await textOf(payloads['verify-email'], false)
    expect(text).toContain('If it was not you, do not open the link')
    expect(text).not.toMatch(/anyway|where you signed up/)
  })

  it.each([true, false])('asks for a session where it replaces an address (pages: %s)', async (isByPage) => {
    const text = await textOf(moved, isByPage)
    expect(text).toContain('Open the link in a browser where you are signed in.')
    expect(text).toContain('If it was not you, ignore this mail: nothing changes.')
  })
})

describe('every mail', () => {
  it.each(Object.values(payloads))('$kind says what to do when it was somebody else', async (payload) => {
    const { subject, text, html } = await render(payload, {
      language,
      service,
      link: payload.kind in commands ? link : null,
      name: '',
      seconds: 60,
    })
    expect(text).toMatch(/^Hello,\n\n[^]*If (?:it was not you|this invitation was not meant for you)/)
    expect(html).toMatch(/If (?:it was not you|this invitation was not meant for you)/)
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null/)
  })

  it('account-linked says what ends it: a new password alone leaves the way in', async () => {
    const { text, html } = await render(payloads['account-linked'], {
      language,
      service,
      link: null,
      name: '',
      seconds: 60,
    })
    for (const body of [text, html])
      for (const command of ['postern account password forgot', 'postern account link remove PROVIDER'])
        expect(body).toContain(command)
  })

  it.each(Object.values(payloads))('$kind keeps what people typed out of its subject', async (payload) => {
    const plain = await render(payload, { language, service, link, name: '', seconds: 60 })
    const named = await render(
      { ...payload, to: 'eve@evil.example' },
      { language, service, link, name: 'Eve', seconds: 60 },
    )
    expect(named.subject).toBe(plain.subject)
  })
})

describe('where no password can be reset', () => {
  it.each([
    'password-changed',
    'account-linked',
    'account-unlinked',
    'unproven-sign-ins-ended',
    'sign-up-again',
  ] as const)('%s says what helps there', async (kind) => {
    const parts = { language, service, link, name: '', seconds: 60, canResetPassword: false }
    const { text } = await render(payloads[kind], parts)
    expect(text).not.toContain('password forgot')
    expect(text.includes('tell the people who run this service')).toBe(kind !== 'sign-up-again')
  })
})

describe('the service of a mail', () => {
  const bodyAt = async (base: string, kind: MailKind) =>
    (await render(payloads[kind], { language, service: base, link, name: '', seconds: 60 })).text

  it.each(Object.values(payloads))('is named by $kind, whatever else it says', async ({ kind }) => {
    expect(await bodyAt(service, kind)).toMatch(/\n\nThis mail is from https:\/\/id\.example\.com\n$/)
  })

  it.each(Object.values(payloads))(
    'stands in every command of $kind, where it is not the usual one',
    async ({ kind }) => {
      for (const base of ['https://example.com/id', 'https://example.com/tools/api/auth']) {
        const lines = [...(await bodyAt(base, kind)).matchAll(/postern (?:account|invitation|sign)[^\n]*/g)]
        const named = lines.map(([line]) => line)
        expect(named.filter((line) => !line.endsWith(` --url ${base}`))).toEqual([])
      }
      expect(await bodyAt('http://localhost:4100/api/auth', kind)).not.toContain('--url')
    },
  )

  it('is told by an invitation, with its page and the way in', async () => {
    const text = await bodyAt(service, 'invitation')
    expect(text).toContain('\nhttps://id.example.com/api/auth/page/invitation?id=the-id\n')
    expect(text).toContain('hosted at https://id.example.com\n')
    expect(text).toContain(`\npostern sign-up --email ann@example.com ${at}\n`)
  })

  it('takes an address with an apostrophe as one word of a shell', async () => {
    const odd = { ...payloads.invitation, to: "o'brien@example.com" }
    const { text } = await render(odd, { language, service, link: null, name: '', seconds: 60 })
    expect(text).toContain(`--email "o'brien@example.com" ${at}`)
  })
})

describe('a hostile name', () => {
  const bodiesOf = (name: string) => render(payloads['verify-email'], { language, service, link, name, seconds: 60 })

  it('is text in the HTML, whatever it holds', async () => {
    const { html } = await bodiesOf(`<a href="x" onclick='y'>&amp;`)
    expect(html).toContain('Hello &#60;a href=&#34;x&#34; onclick=&#39;y&#39;&#62;&#38;amp;,')
    expect(html.match(/<a /g)).toHaveLength(1)
  })

  it.each([
    ['Click http://evil.example/x', 'Click http[:]//evil[.]example/x'],
    ['www.evil.example', 'www[.]evil[.]example'],
    ['eve@evil。example', 'eve@evil[.]example'],
    ['J. R. Smith', 'J. R. Smith'],
    ['Ann\r\nBcc: eve@evil\u0000', 'Ann Bcc: eve@evil'],
    ['Ann\u202etxt\u2028\u200b\u001b[31m', 'Ann txt [31m'],
    ['é'.repeat(101), 'é'.repeat(100)],
    ['👍'.repeat(101), '👍'.repeat(100)],
  ])('%j is greeted as %j', async (name, greeted) => {
    const { text, html } = await bodiesOf(name)
    expect(text.startsWith(`Hello ${greeted},\n`)).toBe(true)
    expect(html).toContain(`<p>Hello ${greeted},</p>`)
  })
})

describe('an invitation to an organization', () => {
  const invited = (organizationName: string, inviterName: string) =>
    render({ ...payloads.invitation, organizationName, inviterName } as MailPayload, {
      language,
      service,
      link: null,
      name: 'x',
      seconds: 0,
    })

  it.each([
    ['<a href="http://evil.example">Acme</a>', '<a href="http[:]//evil[.]example">Acme</a>'],
    ['Click http://evil.example', 'Click http[:]//evil[.]example'],
    ['Acme\r\nBcc: eve@evil.example\r\n\r\n', 'Acme Bcc: eve@evil[.]example'],
    ['A\u202ecme\u0000\u001b[2J', 'A cme [2J'],
    ['x'.repeat(200), 'x'.repeat(100)],
  ])('called %j, by somebody of that name, names it as %j', async (name, told) => {
    const { subject, text, html } = await invited(name, name)
    expect(subject).toBe((await invited('Acme', 'Bob')).subject)
    const sentence = `${told} (bob@example.com) invites you to ${told} as member.`
    expect(text).toContain(`\n\n${sentence}\n\n`)
    const escaped = sentence.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)
    expect(html).toContain(`<p>${escaped}</p>`)
    expect(html).not.toContain('evil.example')
    expect(html.match(/<a /g)).toHaveLength(1)
  })

  it('tells its command and its end, and greets nobody by the inviter’s name', async () => {
    const { text } = await invited('Acme', 'Bob')
    expect(text).toMatch(/^Hello,\n/)
    expect(text).toContain(`\n  postern invitation accept the-id ${at}\n`)
    expect(text).toContain('expires 2 days after it was sent')
  })
})

describe('a template of the config file', () => {
  it('takes the place of our text for its kind alone, and is told all facts', async () => {
    const templates = {
      'change-email': (facts: object) => ({ subject: 'S\r\nBcc: eve@evil', text: JSON.stringify(facts), html: '<b>' }),
    }
    const parts = { language, service, link, name: 'Ann\n', seconds: 60, templates }
    const mail = await render(payloads['change-email'], parts)
    expect(mail).toMatchObject({ subject: 'S Bcc: eve@evil', html: '<b>' })
    expect(JSON.parse(mail.text)).toEqual({
      ...link,
      language: 'en',
      kind: 'change-email',
      to,
      service,
      name: 'Ann',
      seconds: 60,
      newEmail: 'new@example.com',
      provider: null,
      endedWays: [],
      canResetPassword: true,
      invitation: null,
    })
    expect((await render(payloads['verify-email'], parts)).subject).toBe('Verify your email address')
  })

  it('that gives no mail is told so', async () => {
    const templates = { 'verify-email': () => ({ subject: 'S' }) as never }
    await expect(
      render(payloads['verify-email'], { language, service, link, name: '', seconds: 60, templates }),
    ).rejects.toThrow('The template of verify-email mails must return subject, text and html')
  })
})
