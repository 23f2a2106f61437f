import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { useTestService } from '../testing/use-service.ts'
import type { Reply } from '../testing/visitor.ts'

const service = useTestService()

const text = '{"email":"nobody@example.com","password":"correct horse battery"}'

/** A POST whose body and type are taken as they are. */
const send = (path: string, body: string | Uint8Array, type?: string, headers: object = {}): Promise<Reply> =>
  service.visitor().send(path, {
    method: 'POST',
    body: body as NonNullable<RequestInit['body']>,
    headers: {
      'content-length': String(Buffer.byteLength(body)),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
  })

const sendPieces = (body: ReadableStream<Uint8Array>): Promise<Reply> =>
  service.visitor().send('/sign-out', {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': json, 'transfer-encoding': 'chunked' },
  } as RequestInit)

const said = ({ status, body }: Reply) => [status, body?.code]
const json = 'application/json'
const invalid = [400, 'VALIDATION_ERROR']
const checked = [401, 'INVALID_EMAIL_OR_PASSWORD']
const unsupported = [415, 'UNSUPPORTED_MEDIA_TYPE']

describe('the type of a body', () => {
  it.each([
    json,
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; x=y',
    'application/json;',
  ])('%s is read', async (type) => expect(said(await send('/sign-in/email', text, type))).toEqual(checked))

  it.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data; application/json',
    'application/jsonp',
    'application/json-patch+json',
    'application/ld+json',
    'application/jsonx; charset=utf-8',
    'xapplication/json',
    'text/json',
    'application/xml',
    'application/octet-stream',
    'application/json, text/plain',
    'text/plain, application/json',
    '*/*',
    'json',
    '',
  ])('%s is refused', async (type) => expect(said(await send('/sign-in/email', text, type))).toEqual(unsupported))

  it('is needed', async () => {
    const { body, status } = await send('/sign-in/email', new TextEncoder().encode(text))
    expect([status, body]).toEqual([415, { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Unsupported media type' }])
  })

  it('does not matter where there is no body', async () => {
    expect(said(await send('/sign-out', '', 'text/plain'))).toEqual([400, 'FAILED_TO_GET_SESSION'])
    expect(said(await send('/sign-out', ''))).toEqual([400, 'FAILED_TO_GET_SESSION'])
    expect(said(await send('/sign-in/email', '', json))).toEqual(invalid)
  })
})

describe('what is no JSON object', () => {
  it.each([
    '{',
    '}',
    '{"email"',
    "{'email':'a'}",
    '{email:1}',
    '{"a":1,}',
    '{"a":undefined}',
    '{"a":NaN}',
    '{"a":01}',
    '{} {}',
    '{}x',
    'x',
    ' ',
    '\n',
    '\0',
    '{"a":"\n"}',
    '<x/>',
    'email=a&password=b',
    'null',
    'true',
    '1',
    '1e999',
    '"text"',
    '[]',
    '[{}]',
    '[{"email":"a@b.co"}]',
  ])('%j is 400', async (body) => {
    for (const path of ['/sign-in/email', '/sign-up/email', '/sign-out', '/update-user', '/revoke-session'])
      expect([path, ...said(await send(path, body, json))]).toEqual([path, ...invalid])
  })

  it('reads one with a byte order mark, and with spaces', async () => {
    expect(said(await send('/sign-in/email', `\ufeff${text}`, json))).toEqual(checked)
    expect(said(await send('/sign-in/email', `\r\n\t ${text} \n`, json))).toEqual(checked)
  })

  it('refuses one that is no UTF-8, whose letters would be lost, and takes the sign of a lost letter', async () => {
    // Of an emoji cut after three bytes, the sign of a lost letter is as long.
    for (const lost of ['\xf6', '\xf0\x9f\x98']) {
      const { status, body } = await send('/sign-in/email', Buffer.from(text.replace('o', lost), 'latin1'), json)
      expect([status, body?.details]).toEqual([400, [{ path: '', message: 'Expected a body in UTF-8' }]])
    }
    expect(said(await send('/sign-in/email', text.replace('correct', 'c\ufffdrrect'), json))).toEqual(checked)
  })

  it('refuses one that is packed, or is said to be', async () => {
    const sendPacked = (coding: string, path = '/sign-in/email', body: string | Uint8Array = text) =>
      send(path, body, json, { 'content-encoding': coding })
    const problem = [{ path: '', message: 'Expected a body without Content-Encoding' }]
    for (const body of [text, gzipSync(text)])
      expect((await sendPacked('gzip', '/sign-in/email', body)).body?.details).toEqual(problem)
    expect(said(await sendPacked('Identity'))).toEqual(checked)
    expect(said(await sendPacked('gzip', '/sign-out', ''))).toEqual([400, 'FAILED_TO_GET_SESSION'])
  })

  it('answers before it asks who is there', async () => {
    service.statements.forget()
    expect(said(await send('/update-user', '[', json))).toEqual(invalid)
    expect(service.statements.list).toEqual([])
  })
})

describe('percent-encoded text', () => {
  const damaged = ['x=c%F6rrect', 'x=c%C3', 'x=%ED%A0%80', 'x=%C3%%A9', 'x=1&y%FF=1']
  const whole = ['x=%EF%BF%BD', 'x=100%&y=%zz\ufffd', 'x=c%C3%B6rrect']
  const sendForm = (body: string) => send('/device/code', `client_id=x&${body}`, 'application/x-www-form-urlencoded')
  const problem = [{ path: '', message: 'Expected percent-encoded UTF-8' }]

  it.each(damaged)('%s is refused: its letters would be lost', async (text) => {
    const { status, body } = await service.visitor().get(`/provider/list?${text}`)
    expect([status, body?.code, body?.details]).toEqual([400, 'VALIDATION_ERROR', problem])
    expect([(await sendForm(text)).body?.error]).toEqual(['invalid_request'])
  })

  it.each(whole)('%s is read', async (text) => {
    expect(said(await service.visitor().get(`/provider/list?${text}`))).toEqual([200, undefined])
    expect((await sendForm(text)).status).toBe(200)
  })

  it('of a provider leads back to the application in any encoding', async () => {
    const { status, headers } = await service.visitor().get('/callback/github?error_description=refus%E9&error=x')
    expect([status, headers.get('location')]).toEqual([302, expect.stringContaining('error=x&error_description=refus')])
  })

  it('of a token in the query is refused likewise', async () => {
    const { body } = await send('/reset-password?token=%FF', '{"newPassword":"correct horse battery"}', json)
    expect(body?.details).toEqual(problem)
  })
})

describe('deep, wide and long bodies', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const listed = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const wide = (keys: number) => `{${Array.from({ length: keys }, (_, index) => `"k${index}":1`).join()}}`

  it.each([
    ['twenty objects deep', nested(20), [400, 'FAILED_TO_GET_SESSION']],
    ['twenty-one objects deep', nested(21), invalid],
    ['twenty lists deep', listed(20), [400, 'FAILED_TO_GET_SESSION']],
    ['twenty-one lists deep', listed(21), invalid],
    ['ten thousand deep', nested(10_000), invalid],
    ['ten thousand lists deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, invalid],
    ['ten thousand open brackets', `{"a":${'['.repeat(10_000)}`, invalid],
    ['a prototype four thousand deep', nested(4000).replaceAll('"a"', '"__proto__"'), [400, 'FAILED_TO_GET_SESSION']],
    ['two hundred keys', wide(200), [400, 'FAILED_TO_GET_SESSION']],
    ['two hundred and one keys', wide(201), invalid],
    ['two hundred and one entries', `{"a":[${Array(201).fill('1').join()}]}`, invalid],
    ['a hundred keys in each of three objects', `{"a":${wide(100)},"b":${wide(100)},"c":${wide(100)}}`, invalid],
  ])('%s', async (_name, body, expected) => expect(said(await send('/sign-out', body, json))).toEqual(expected))

  const padded = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`

  it('takes 64 kB and not a byte more, declared or counted', async () => {
    expect(said(await send('/sign-out', padded(65_536), json))).toEqual([400, 'FAILED_TO_GET_SESSION'])
    const refused = await send('/sign-out', padded(65_537), json)
    expect([refused.status, refused.body]).toEqual([413, { code: 'PAYLOAD_TOO_LARGE', message: 'Payload too large' }])
    const counted = (size: number) => sendPieces(new Blob([padded(size)]).stream())
    expect(said(await counted(65_536))).toEqual([400, 'FAILED_TO_GET_SESSION'])
    expect(said(await counted(65_537))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('takes 1,024 pieces and not one more', async () => {
    const inPieces = (count: number) =>
      sendPieces(
        ReadableStream.from(
          padded(count)
            .match(/./g)
            ?.map((one) => Buffer.from(one)) ?? [],
        ),
      )
    expect(said(await inPieces(1024))).toEqual([400, 'FAILED_TO_GET_SESSION'])
    expect(said(await inPieces(1025))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('counts bytes, not characters', async () => {
    const body = `{"a":"${'é'.repeat(40_000)}"}`
    expect(said(await send('/sign-out', body, json))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('refuses a size before it looks at the type or the content', async () => {
    expect(said(await send('/sign-out', 'x'.repeat(70_000), 'text/plain'))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('believes no declared length that the body does not keep', async () => {
    const lying = await service.app.request('http://localhost:4100/api/auth/sign-out', {
      method: 'POST',
      body: padded(200_000),
      headers: { 'content-type': json, 'content-length': '10' },
    })
    expect([lying.status, await lying.json()]).toMatchObject([413, { code: 'PAYLOAD_TOO_LARGE' }])
  })
})

describe('names that JavaScript gives a meaning to', () => {
  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"__proto__":null}',
    '{"\\u005f\\u005fproto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"constructor":1,"prototype":2}',
    '{"a":{"__proto__":{"polluted":1}},"b":[{"__proto__":{"polluted":1}}]}',
    '{"toString":1,"hasOwnProperty":1,"valueOf":{}}',
  ])('%s changes no object', async (body) => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    const ann = await service.person()
    const init = { method: 'POST', body, headers: { 'content-type': json, 'content-length': String(body.length) } }
    expect((await ann.send('/update-user', init)).body).toEqual({ status: true })
    expect(said(await service.visitor().send('/sign-in/email', init))).toEqual(invalid)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

it('lets the last of several values of a name count, in body and query', async () => {
  const ann = await service.person()
  const body = `{"email":"nobody@example.com","email":"${ann.email}","password":"correct horse battery staple"}`
  expect((await send('/sign-in/email', body, json)).status).toBe(200)
  const page = (query: string) => service.visitor().get(`/error?${query}`)
  expect((await page('error=banned&error=no_code')).text).toContain('no_code')
  expect((await page('error=banned&error=no_code')).text).not.toContain('banned')
  expect((await page('error=no_code&error=')).text).toContain('Unknown')
})
