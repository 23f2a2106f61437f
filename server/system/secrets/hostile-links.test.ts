import { describe, expect, it } from 'vitest'
import { linkTo, mailsTo, verifiedPerson } from '../../testing/mailed.ts'
import { done, found } from '../../testing/organizations.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const settings = { BASE_URL: 'https://id.example.com', TRUSTED_PROXIES: '10.0.0.0/8' }
const service = useTestService(settings)
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))
const byMail = useMade(() => service.sibling({ DELETE_USER_MODE: 'email' }))

/** What somebody may send to have a mail name their server. */
const hostile = {
  host: 'evil.example',
  forwarded: 'host=evil.example;proto=http',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '8080',
  'x-forwarded-server': 'evil.example',
  'x-original-host': 'evil.example',
  'x-host': 'evil.example',
  'x-forwarded-prefix': '/evil',
  'x-original-url': '/evil',
  'x-rewrite-url': '/evil',
}
const target = '/a?x=1&token=evil'

type Person = Visitor & { email: string }
interface Path {
  readonly kind: string
  /** Asks for the mail; returns the address that it goes to. */
  readonly ask: (person: Person, headers: Record<string, string>) => Promise<string>
}

const posting =
  (path: string, body: (person: Person) => object, on = () => service) =>
  async (person: Person, headers: Record<string, string>) => {
    const visitor = on().copyOf(person)
    await visitor.post(path, body(person), headers)
    return person.email
  }

/** Every way to a mail with a link. */
const paths: Record<string, Path> = {
  'a sign-up': {
    kind: 'verify-email',
    ask: async (_person, headers) => {
      const email = `new-${crypto.randomUUID()}@example.com`
      const body = { email, name: 'Ann', password: testPassword, callbackURL: target }
      await strict.visitor().post('/sign-up/email', body, headers)
      return email
    },
  },
  'a refused sign-in': {
    kind: 'verify-email',
    ask: posting(
      '/sign-in/email',
      ({ email }) => ({ email, password: testPassword, callbackURL: target }),
      () => strict,
    ),
  },
  'a request to verify': {
    kind: 'verify-email',
    ask: posting('/send-verification-email', ({ email }) => ({ email, callbackURL: target })),
  },
  'a forgotten password': {
    kind: 'reset-password',
    ask: posting('/forget-password', ({ email }) => ({ email, redirectTo: target })),
  },
  'a change of the address at once': {
    kind: 'verify-email',
    ask: async (person, headers) => {
      const newEmail = `new-${person.email}`
      await person.post('/change-email', { newEmail, callbackURL: target }, headers)
      return newEmail
    },
  },
  'a change of a verified address': {
    kind: 'change-email',
    ask: async (_person, headers) => {
      const person = await verifiedPerson(service)
      await person.post('/change-email', { newEmail: `new-${person.email}`, callbackURL: target }, headers)
      return person.email
    },
  },
  'a deletion': {
    kind: 'delete-account',
    ask: posting(
      '/delete-user',
      () => ({ callbackURL: target }),
      () => byMail,
    ),
  },
}

/** Everything that a mail program makes a link of, or that a command would talk to. */
const originsIn = (text = ''): ReadonlySet<string> =>
  new Set([...text.matchAll(/https?:\/\/[^/\s]+/g)].map(([origin]) => origin))

describe.each(Object.entries(paths))('the mail of %s', (_name, { kind, ask }) => {
  it('leads to the configured address, whatever the headers of the request say', async () => {
    const email = await ask(await service.person(), hostile)
    const [mail] = await mailsTo(service, email, kind)
    expect(mail?.url).toMatch(/^https:\/\/id\.example\.com\/api\/auth\//)
    expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toContain('evil.example')
    expect(originsIn(mail?.text)).toEqual(new Set(['https://id.example.com']))
  })

  it('carries the page of the caller as one parameter', async () => {
    const email = await ask(await service.person(), {})
    const [mail] = await mailsTo(service, email, kind)
    const { searchParams } = new URL(mail?.url ?? '')
    expect(searchParams.getAll('callbackURL')).toEqual([target])
    expect(searchParams.getAll('token')).toEqual(kind === 'reset-password' ? [] : [mail?.token])
    expect(searchParams.has('x')).toBe(false)
  })

  it('is not sent for a page that is not ours', async () => {
    const person = await service.person()
    const evil = 'https://evil.example/a'
    const before = (await service.deps.sql`select from outbox`).length
    const fields = {
      email: person.email,
      name: 'Ann',
      password: testPassword,
      newEmail: `new-${person.email}`,
      callbackURL: evil,
      redirectTo: evil,
    }
    for (const path of ['/sign-up/email', '/sign-in/email', '/forget-password', '/change-email', '/delete-user'])
      expect((await person.post(path, fields)).status).toBe(403)
    expect(await service.deps.sql`select from outbox`).toHaveLength(before)
  })
})

/** Every way to a mail without one. */
const others: Record<string, Path> = {
  'an invitation': {
    kind: 'invitation',
    ask: async (person, headers) => {
      const { owner, id: organizationId } = await found(service)
      const fields = { email: person.email, role: 'member', organizationId }
      await done(owner.post('/organization/invite-member', fields, headers))
      return person.email
    },
  },
  'a changed password': {
    kind: 'password-changed',
    ask: posting('/change-password', () => ({ currentPassword: testPassword, newPassword: 'another horse battery' })),
  },
  'a changed address': {
    kind: 'email-changed',
    ask: async (_person, headers) => {
      const person = await verifiedPerson(service)
      await person.post('/change-email', { newEmail: `new-${person.email}` })
      const { token } = await linkTo(service, person.email, 'change-email')
      await done(person.get(`/verify-email?token=${token}`, headers))
      return person.email
    },
  },
  'a sign-up with a taken address': {
    kind: 'sign-up-again',
    ask: posting(
      '/sign-up/email',
      ({ email }) => ({ email, name: 'Ann', password: testPassword, callbackURL: target }),
      () => strict,
    ),
  },
}

it.each(Object.entries(others))('the mail of %s leads nowhere else either', async (_name, { kind, ask }) => {
  const email = await ask(await service.person(), hostile)
  const [mail] = await mailsTo(service, email, kind)
  const text = `${mail?.subject}${mail?.text}${mail?.html}`
  expect([mail?.kind, text.includes('evil')]).toEqual([kind, false])
  expect(originsIn(mail?.text)).toEqual(new Set(['https://id.example.com']))
})

it('a reset link that leads to a page with a token of its own carries ours alone', async () => {
  const { email } = await service.person()
  await service.visitor().post('/forget-password', { email, redirectTo: target })
  const [mail] = await mailsTo(service, email, 'reset-password')
  const reply = await service.visitor().get(mail?.url ?? '')
  const location = new URL(reply.headers.get('location') ?? '')
  expect([location.origin, location.searchParams.getAll('token')]).toEqual(['https://id.example.com', [mail?.token]])
  expect(location.searchParams.get('x')).toBe('1')
})
