import { expect, it } from 'vitest'
import { useTestService, useWire } from '../../testing/use-service.ts'
import { rawRequest } from '../../testing/wire.ts'

const service = useTestService({ TRUSTED_PROXIES: '127.0.0.1', COOKIE_CACHE: 'on' })
const wire = useWire(service)

const mac = 'A'.repeat(43)
const cookieNames = ['postern.session_token', 'postern.session_data', 'postern.dont_remember', 'other']
const values = [
  '',
  '=',
  '==',
  '.',
  '..',
  '%',
  '%%',
  '%2',
  '%zz',
  '%00',
  '%ff%fe',
  '%ed%a0%80',
  '"',
  '""',
  '"x',
  '{}',
  '[]',
  'null',
  'undefined',
  '__proto__',
  `.${mac}=`,
  `x.${mac}=`,
  `x.${mac}%3D`,
  `x.${'A'.repeat(44)}`,
  `%00.${mac}%3D`,
  `e30.${mac}`,
  `${'%25'.repeat(50)}3D`,
  'x'.repeat(4096),
  '\xff\xfe\xfd',
  '\x80',
  '\t',
  ' x ',
  ',',
  ';;;',
  'a=b=c',
  'é',
]

/** Every cookie, credential and address in every odd shape; the lines as they are sent. */
const odd: string[] = [
  ...cookieNames.flatMap((name) => values.map((value) => `Cookie: ${name}=${value}`)),
  ...values.flatMap((value) => [`Cookie: ${value}`, `Cookie: ;=${value};`]),
  ...values.flatMap((value) => [
    `Authorization: ${value}`,
    `Authorization: Bearer ${value}`,
    `Authorization: Basic ${value}`,
  ]),
  ...values.flatMap((value) => [`Origin: ${value}`, `Origin: http://${value}`, `Referer: ${value}`]),
  ...values.map((value) => `X-Forwarded-For: ${value}`),
  ...values.map((value) => `User-Agent: ${value}`),
  ...values.map((value) => `Content-Type: ${value}`),
  ...values.map((value) => `Sec-Fetch-Site: ${value}`),
]

/** What the parser of HTTP itself has to refuse. */
const broken = [
  'Cookie: a\0b',
  'Cookie : a=b',
  ' Cookie: a=b',
  'Cookie',
  ': x',
  'Coo kie: a=b',
  'Cookie: a\rb',
  'X-\xff: 1',
  'Content-Length: x',
  'Transfer-Encoding: x',
]

const send = (line: string, header: string) =>
  wire.exchange(Buffer.from(`${rawRequest(line).slice(0, -2)}${header}\r\n\r\n`, 'latin1'))

it.each(['GET /api/auth/get-session', 'GET /api/auth/list-sessions', 'POST /api/auth/sign-out'])(
  'answers %s with less than 500 under every odd header, and looks nothing up for it',
  async (line) => {
    service.statements.forget()
    expect(odd.length).toBeGreaterThan(500)
    const answers = await Promise.all(
      odd.map(async (header) => ({ header, status: (await send(line, header)).status })),
    )
    expect(answers.filter(({ status }) => status < 200 || status >= 500)).toEqual([])
    expect(service.statements.list).toEqual([])
    const warnings = service.logged.filter(({ level }) => Number(level) >= 40)
    // An origin that is not trusted is named, if a browser could send it.
    expect(warnings.filter(({ origin }) => !/^(?:null|http:\/\/[\w.:[\]-]+)$/.test(String(origin)))).toEqual([])
  },
)

// HTTP/1.0 knows no Host (RFC 1945); HAProxy's health checks, among others, speak it.
it.each(['ok', 'ready'])('answers a probe of %s that names no host', async (call) => {
  const { status, headers, body } = await wire.exchange(`GET /api/auth/${call} HTTP/1.0\r\n\r\n`)
  expect([status, JSON.parse(body), headers.get('connection')]).toEqual([200, { [call]: true }, ['close']])
})

it('refuses a request of HTTP/1.1 that names no host (RFC 9112, 3.2)', async () => {
  const { status } = await wire.exchange('GET /api/auth/ok HTTP/1.1\r\nConnection: close\r\n\r\n')
  expect(status).toBe(400)
})

it.each(broken)('refuses %j', async (header) => {
  const { status, body } = await send('GET /api/auth/get-session', header)
  expect([status, JSON.parse(body)]).toEqual([400, { code: 'BAD_REQUEST', message: 'Bad Request' }])
})

it.each(['a b', 'a/b', '[', ']', '[::', 'a:b:c', '%', '@', 'x@y', 'a:99999', '\xff', '?', '#', 'a\\b'])(
  'takes the host %j for none of its own',
  async (host) => {
    const { status, body } = await wire.exchange(Buffer.from(rawRequest('GET /api/auth/ok', { Host: host }), 'latin1'))
    const refused = { code: 'BAD_REQUEST', message: 'Bad Request' }
    expect(JSON.parse(body)).toEqual(status === 200 ? { ok: true } : refused)
  },
)

it('refuses what nobody here can do as expected (RFC 9110, 10.1.1)', async () => {
  const { status, headers, body } = await send('GET /api/auth/ok', 'Expect: a miracle')
  expect([status, headers.get('content-type')]).toEqual([417, ['application/json']])
  expect(JSON.parse(body)).toEqual({ code: 'EXPECTATION_FAILED', message: 'Expectation Failed' })
})

it('learns nothing from a host: neither its address nor where it sends people', async () => {
  const evil = {
    Host: 'evil.test',
    'X-Forwarded-Host': 'evil.test',
    'X-Forwarded-Proto': 'https',
    Forwarded: 'host=evil.test',
  }
  const first = await wire.exchange(rawRequest('POST /api/auth/sign-out', { ...evil, Origin: 'http://evil.test' }))
  expect(first.status).toBe(403)
  const page = await wire.exchange(rawRequest('GET /api/auth/error', evil))
  const document = await wire.exchange(rawRequest('GET /api/auth/openapi.json', evil))
  expect(`${page.body}${document.body}`).not.toContain('evil.test')
  expect(document.body).toContain('http://localhost:4100/api/auth')
  const own = await wire.exchange(rawRequest('POST /api/auth/sign-out', { Origin: 'http://localhost:4100' }))
  expect(own.status).toBe(400)
})
