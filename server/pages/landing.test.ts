import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { redirectErrors } from '../../shared/errors.ts'
import { readMails } from '../testing/mails.ts'
import { proveAddress } from '../testing/prove-address.ts'
import { useTestService } from '../testing/use-service.ts'
import { payloads } from './testing/payloads.ts'

const service = useTestService()

const paths = ['/page/verified', '/page/email-changed', '/page/deleted', '/page/reset-password'] as const

const open = (path: string, query: Readonly<Record<string, string>> = {}) =>
  service.visitor().get(`${path}?${new URLSearchParams(query).toString()}`)
const unescape = (text: string) => text.replaceAll('&#x27;', "'").replaceAll('&amp;', '&')
/** Heading, paragraphs and commands, without their elements. */
const shown = (text: string) =>
  unescape(text.replace(/.*<main>/s, '').replaceAll(/<\/(h1|p)>/g, '\n')).replaceAll(/<[^>]*>/g, '')

describe('a link that worked', () => {
  it.each([
    ['/page/verified', 'Your address is verified', 'postern sign-in'],
    ['/page/email-changed', 'Your address was changed', 'postern account email verify --send'],
    ['/page/deleted', 'Your account was deleted', ''],
    ['/page/password-changed', 'Your password was changed', 'postern sign-in'],
  ])('ends on %s: %s', async (path, heading, command) => {
    const { status, text, headers } = await open(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain(`<h1>${heading}</h1>`)
    expect(/<code>([^<]*)<\/code>/.exec(text)?.[1] ?? '').toBe(command)
  })
})

it('says of a change of the address that the new one still has to be verified', async () => {
  const ann = await service.person()
  await proveAddress(service.deps.sql, ann.email)
  const next = `new-${ann.email}`
  expect((await ann.post('/change-email', { newEmail: next })).status).toBe(200)
  const link = (await readMails(service)).find(({ to, kind }) => kind === 'change-email' && to === ann.email)?.url ?? ''
  const page = 'http://localhost:4100/api/auth/page/email-changed'
  expect((await service.visitor().get(link)).headers.get('location')).toBe(`${page}?error=unauthorized`)
  expect((await ann.get(link)).headers.get('location')).toBe(page)
  expect((await ann.get(page)).text).toContain('Open the link in the mail to your new address to verify it.')
  expect((await readMails(service)).map(({ to, kind }) => [to, kind])).toContainEqual([next, 'verify-email'])
})

it('says where addresses have to be verified that nothing is changed yet', async () => {
  const strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
  const { text } = await strict.visitor().get('/page/email-changed')
  expect(text).toContain('<h1>You agreed to the new address</h1>')
  expect(text).toContain('The new address then replaces the old one')
})

describe('a link that failed', () => {
  it.each(Object.entries(redirectErrors))('says of %s why, in a fixed sentence', async (code, sentence) => {
    for (const path of paths) {
      const { status, text } = await open(path, { error: code })
      expect(status).toBe(200)
      expect(text).toMatch(
        /<h1>(Your (address (is not verified|was not changed)|password was not changed this time)|Nothing was deleted this time)<\/h1>/,
      )
      expect(shown(text)).toContain(`\n${sentence}`)
      expect((await open(path, { error: code.toUpperCase() })).text).toBe(text)
    }
  })

  it.each(['invalid_token', 'failed_to_get_user_info'])(
    'of a deletion with %s may have been opened before, and then it deleted the account',
    async (error) => {
      const before = 'If this page has told you before that your account was deleted, it stays deleted.'
      expect((await open('/page/deleted', { error })).text).toContain(before)
      expect((await open('/page/deleted', { error: 'banned' })).text).not.toContain(before)
      expect((await open('/page/verified', { error })).text).not.toContain(before)
    },
  )

  it.each([
    ['/page/verified', 'token_expired', 'postern account email verify --send'],
    ['/page/email-changed', 'couldnt_update_your_email', 'postern account email set NEW_ADDRESS'],
    ['/page/email-changed', 'unauthorized', 'postern account email verify'],
    ['/page/deleted', 'invalid_token', 'postern account delete'],
    ['/page/deleted', 'failed_to_get_user_info', 'postern account delete --token-file -'],
    ['/page/reset-password', 'INVALID_TOKEN', 'postern account password forgot'],
  ])('on %s by %s says what to do: %s', async (path, error, command) => {
    expect((await open(path, { error })).text).toContain(`<code>${command}</code>`)
  })

  it.each(['', 'some_other_code', 'toString', '__proto__', 'constructor', 'x'.repeat(100), ...payloads])(
    'shows nothing of the code %s',
    async (error) => {
      for (const path of paths) {
        const { status, text } = await open(path, { error })
        expect([status, shown(text).split('\n')[1]]).toEqual([200, 'Something went wrong. Start again.'])
        expect(text).toBe((await open(path, { error: '?' })).text)
      }
    },
  )
})

describe('the page that asks for a new password', () => {
  const token = 'AbCdEfGhIjKlMnOpQrSt0123'

  it('is a form that keeps the token, and names the command that does the same', async () => {
    const { status, text } = await open('/page/reset-password', { token })
    expect(status).toBe(200)
    expect(text).toContain('<form action="/api/auth/page/reset-password" method="post">')
    expect(text).toContain(`<input type="hidden" name="token" value="${token}"/>`)
    expect(text).toContain(`<code>postern account password reset ${token}</code>`)
    expect(text.match(/type="password"[^>]* autoComplete="new-password"/gi)).toHaveLength(2)
    expect(text).not.toContain('href=')
  })

  it('asks nothing of the database: a mail scanner that opens it does no harm and learns nothing', async () => {
    service.statements.forget()
    expect((await open('/page/reset-password', { token })).text).toContain(token)
    expect(service.statements.list).toEqual([])
  })

  it('names the lengths that the settings allow', async () => {
    const other = await service.sibling({ MIN_PASSWORD_LENGTH: '12', MAX_PASSWORD_LENGTH: '99' })
    const { text } = await other.visitor().get(`/page/reset-password?token=${token}`)
    expect(text.match(/minLength="12" pattern="\.\{12,99\}" title="12 to 99 characters"/gi)).toHaveLength(2)
  })

  it.each([undefined, '', 'x'.repeat(65), 'a b', 'a-b', 'é', '../x', ...payloads])(
    'shows nothing of the token %s',
    async (given) => {
      const { status, text } = await open('/page/reset-password', given === undefined ? {} : { token: given })
      expect(status).toBe(200)
      expect(text).toBe((await open('/page/reset-password', { error: 'INVALID_TOKEN' })).text)
    },
  )
})

describe('every page', () => {
  const all = [...paths.flatMap((path) => [path, `${path}?error=unauthorized`]), '/page/password-changed']
  const form = '/page/reset-password?token=AbCdEfGhIjKlMnOpQrSt0123'

  it.each([...all, form, '/error?error=no_code'])('%s allows its one style by hash, and runs nothing', async (path) => {
    const { text, headers } = await service.visitor().get(path)
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style)
    const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    expect(styles).toHaveLength(1)
    expect(headers.get('content-security-policy')?.split('; ').toSorted()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      `style-src ${hashes[0]}`,
    ])
    expect(text).not.toMatch(/<script|\son\w+=|style="|<link|<img|<iframe|https?:/i)
  })

  it.each(all)('%s is stored nowhere and tells nobody where its reader came from', async (path) => {
    const { headers } = await service.visitor().get(path)
    const isForm = path === '/page/reset-password' || path.startsWith('/page/reset-password?')
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      isForm ? 'same-origin' : 'no-referrer',
    ])
  })

  it('with a form tells other sites nothing, and its own origin what a browser needs for its Origin', async () => {
    const { headers } = await service.visitor().get(form)
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'same-origin'])
  })

  it.each(['PUT', 'DELETE', 'HEAD', 'PATCH'])('knows no %s', async (method) => {
    for (const path of ['/page/verified', '/page/reset-password'])
      expect((await service.visitor().send(path, { method })).status).toBe(404)
  })

  it('takes a POST only where it has a form', async () => {
    for (const path of ['/page/verified', '/page/email-changed', '/page/deleted', '/page/password-changed'])
      expect((await service.visitor().post(path, {}, { origin: 'http://localhost:4100' })).status).toBe(404)
  })

  it('is no call of the API: its description names none', async () => {
    const { text } = await service.visitor().get('/openapi.json')
    expect(text).toContain('/sign-in/email')
    expect(text).not.toContain('/page/')
  })
})
