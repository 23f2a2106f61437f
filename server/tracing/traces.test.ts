import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AlwaysOffSampler, ParentBasedSampler, type ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { Hono } from 'hono'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../app.ts'
import { inRequestSpan } from '../http/request-span.ts'
import { createRequestState, type HonoEnv } from '../http/request-state.ts'
import { createSmtp } from '../mail/smtp.ts'
import { startDispatcher } from '../outbox/dispatcher.ts'
import { done, found } from '../testing/organizations.ts'
import { startScriptedProvider } from '../testing/scripted-provider.ts'
import { back, begin, vouchFor } from '../testing/scripted-sign-in.ts'
import { testPassword } from '../testing/service.ts'
import { startMailServer } from '../testing/smtp.ts'
import { startTracing, type Tracing } from '../testing/tracing.ts'
import { useStarted } from '../testing/use-service.ts'
import { createVisitor, type Visitor } from '../testing/visitor.ts'
import { hookAt, makeTeams, startWebhookTest, type WebhookTest } from '../testing/webhooks.ts'
import { tracingApi } from './spans.ts'

let test: WebhookTest
let ann: Visitor & { email: string }
const provider = useStarted(startScriptedProvider)
beforeAll(async () => {
  test = await startWebhookTest({ ...provider.settings('GITHUB'), LOG_LEVEL: 'debug' })
  ann = await test.service.person()
})
afterAll(() => test.stop())

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`

/** The log line of a request. */
async function lineOf(ask: () => Promise<{ readonly headers: Headers }>) {
  const requestId = (await ask()).headers.get('x-request-id')
  return test.service.logged.find((line) => line.requestId === requestId && line.msg !== 'security event')
}

describe('without an SDK', () => {
  it('there is no API', async () => {
    await ann.get('/get-session')
    expect(tracingApi()).toBeNull()
  })

  it.each([
    ['00', traceparent],
    ['of a later version', `cc-${traceId}-${spanId}-01-what-comes-after`],
  ])('the log line has the ids of a traceparent %s', async (_name, header) => {
    const line = await lineOf(() => ann.get('/get-session', { traceparent: header }))
    expect(line).toMatchObject({ trace_id: traceId, span_id: spanId })
  })

  it.each([
    ['no version', `ff-${traceId}-${spanId}-01`],
    ['more than its version has', `${traceparent}-more`],
    ['no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capitals', traceparent.toUpperCase()],
    ['too little', '00-1-2-01'],
    ['something else', '"},{"level":60'],
  ])('and none of one with %s', async (_name, header) => {
    const line = await lineOf(() => ann.get('/get-session', { traceparent: header }))
    expect(line).toMatchObject({ status: 200 })
    expect(Object.keys(line ?? {})).not.toContain('trace_id')
  })
})

describe('with an SDK', () => {
  let tracing: Tracing
  beforeAll(() => {
    tracing = startTracing()
  })
  afterEach(() => tracing.forget())
  afterAll(() => tracing.stop())

  const childrenOf = (parent: ReadableSpan) =>
    tracing.spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent.spanContext().spanId)
  const named = (name: string): ReadableSpan => {
    const [span, ...more] = tracing.spans().filter((each) => each.name === name)
    expect(more).toEqual([])
    return span!
  }

  it('a request is one span of a server, with its statements below it', async () => {
    await ann.get('/list-sessions?x=1')
    const span = named('GET /api/auth/list-sessions')
    expect(span.kind).toBe(SpanKind.SERVER)
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'http.route': '/api/auth/list-sessions',
      'http.response.status_code': 200,
    })
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    const statements = childrenOf(span)
    expect(statements.length).toBe(tracing.spans().length - 1)
    expect(statements.map(({ name }) => name).join()).toMatch(/SELECT sessions/)
    for (const { kind, attributes } of statements)
      expect([kind, attributes['db.system.name']]).toEqual([SpanKind.CLIENT, 'postgresql'])
  })

  it('continues the trace of the client, and the log line names the request its own span', async () => {
    const line = await lineOf(() => ann.get('/get-session', { traceparent }))
    const span = named('GET /api/auth/get-session')
    expect(span.parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true })
    expect(line).toMatchObject({ trace_id: traceId, span_id: span.spanContext().spanId })
  })

  it('inside another application, whose span is the one of the server, it is a part of that', async () => {
    await trace.getTracer('host').startActiveSpan('host', async (host) => {
      await ann.get('/get-session', { traceparent })
      host.end()
    })
    const span = named('GET /api/auth/get-session')
    expect(span.kind).toBe(SpanKind.INTERNAL)
    expect(childrenOf(named('host'))).toEqual([span])
  })

  it('a fault is an error of its span, and a refusal of the client is none', async () => {
    await ann.get('/nowhere/at-all')
    expect(named('GET')).toMatchObject({ status: { code: SpanStatusCode.UNSET }, events: [] })
    await test.service.deps.sql`alter table sessions rename to sessions_elsewhere`
    await ann.get('/list-sessions')
    await test.service.deps.sql`alter table sessions_elsewhere rename to sessions`
    const span = named('GET /api/auth/list-sessions')
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': '500' } })
    expect(span.events.map(({ name, attributes }) => [name, attributes?.['exception.type']])).toEqual([
      ['exception', '42P01'],
    ])
    expect(childrenOf(span)[0]).toMatchObject({ attributes: { 'error.type': '42P01' } })
    const draining = createVisitor(createApp(test.service.deps, { phase: 'draining' }), test.service.deps.config)
    await draining.get('/ready')
    expect(named('GET /api/auth/ready')).toMatchObject({ attributes: { 'error.type': '503' }, events: [] })
  })

  it.each([
    ['an error', () => new RangeError('of canary@example.com'), ['exception', { 'exception.type': 'RangeError' }]],
    ['a text', () => 'of canary@example.com', undefined],
  ])('a fault that is %s says nothing of its message', async (_kind, thrown, told) => {
    const passwords = { ...test.service.deps.passwords, verify: () => Promise.reject(thrown()) }
    const failing = { ...test.service.deps, passwords }
    const visitor = createVisitor(createApp(failing, { phase: 'ready' }), failing.config)
    expect(await visitor.post('/sign-in/email', { email: ann.email, password: testPassword })).toMatchObject({
      status: 500,
    })
    const { events } = named('POST /api/auth/sign-in/email')
    expect(events.map(({ name, attributes }) => [name, attributes])).toEqual(told ? [told] : [])
    expect(JSON.stringify(tracing.spans().map((span) => [span.attributes, span.events, span.status]))).not.toContain(
      'canary',
    )
  })

  it('a request that throws has failed by the kind of its error, and throws it', async () => {
    const unmade = new RangeError('of canary@example.com')
    const thrown: Error[] = []
    const app = new Hono<HonoEnv>()
    app.onError((error, c) => (thrown.push(error), c.body(null, 500)))
    app.get('/ok', (c) => {
      c.set('state', createRequestState(undefined))
      return inRequestSpan(c, test.service.deps, '/ok', () => Promise.reject(unmade))
    })
    await app.request('/ok')
    expect(thrown).toEqual([unmade])
    const span = named('GET /api/auth/ok')
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'RangeError' } })
    expect(span.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['exception', { 'exception.type': 'RangeError' }],
    ])
    expect(JSON.stringify([span.attributes, span.events, span.status])).not.toContain('canary')
  })

  it('a statement is named after what it does to which tables', async () => {
    await test.service.person()
    const { sql } = test.service.deps
    const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`
    const known = new Set(tables.map(({ name }) => name))
    const acts = tracing.spans().flatMap(({ name, kind }) => (kind === SpanKind.CLIENT ? name.split(/; |, /) : []))
    expect(acts).toContain('INSERT users')
    expect(acts.filter((act) => !known.has(act.split(' ')[1] ?? ''))).toEqual([])
  })

  it('nothing in it says who asked, nor what was said', async () => {
    const bob = await test.service.person({ name: 'canary' })
    await bob.post('/sign-in/email', { email: bob.email, password: testPassword })
    await bob.get(`/reset-password/canary?callbackURL=/canary`, { 'user-agent': 'canary' })
    const { id } = (await bob.get('/get-session')).body.user
    const told = JSON.stringify(tracing.spans().map(({ name, attributes, events }) => [name, attributes, events]))
    const secrets = [
      'canary',
      bob.email,
      testPassword,
      id,
      ...[...bob.cookies.values()].map((value) => value.slice(0, 20)),
    ]
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
  })

  it('what a provider is asked is below the request, and the provider learns nothing of the trace', async () => {
    vouchFor(provider)
    const bob = test.service.visitor()
    await back(bob, await begin(bob))
    const asked = childrenOf(named('GET /api/auth/callback/{id}')).filter(({ attributes }) => attributes['server.port'])
    expect(asked.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
      ['POST', 200],
      ['GET', 200],
      ['GET', 200],
    ])
    expect(provider.requests.filter(({ headers }) => 'traceparent' in headers)).toEqual([])
  })

  it('a webhook is sent in a trace of its own, which its receiver can continue', async () => {
    const acme = await found(test.service)
    const receiver = await test.receive()
    await hookAt(receiver, acme, { events: ['team'] })
    await makeTeams(acme, 1)
    tracing.forget()
    const sender = test.send()
    await expect.poll(() => receiver.taken).toHaveLength(1)
    await sender.stop()
    const span = named('deliver webhook')
    expect(span.parentSpanContext).toBeUndefined()
    const [post] = childrenOf(span)
    const { spanId: sent, traceId: own } = post!.spanContext()
    expect(receiver.taken[0]?.headers.traceparent).toBe(`00-${own}-${sent}-01`)
    expect(post!.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': 204 })
  })

  it('and so is a test of one, without the baggage of who asked for it', async () => {
    const acme = await found(test.service)
    const receiver = await test.receive()
    const { id: webhookId } = await hookAt(receiver, acme)
    tracing.forget()
    await done(acme.owner.post('/webhook/test', { webhookId }, { traceparent, baggage: 'whose=canary' }))
    const span = named('test webhook')
    expect([span.parentSpanContext, span.attributes]).toEqual([undefined, { 'postern.webhook.id': webhookId }])
    const [headers] = receiver.taken.map((taken) => taken.headers)
    expect(headers?.traceparent).toContain(span.spanContext().traceId)
    expect(headers).not.toHaveProperty('baggage')
  })

  it('so is a mail, whichever request woke the dispatcher', async () => {
    const server = await startMailServer()
    await ann.post('/request-password-reset', { email: ann.email })
    tracing.forget()
    const transport = createSmtp({ url: server.url, from: 'no-reply@mail.example.com' })
    const dispatcher = trace.getTracer('host').startActiveSpan('waker', (waker) => {
      const started = startDispatcher({ ...test.service.deps, transport, times: { poll: 3600 } })
      waker.end()
      return started
    })
    const isSent = () => tracing.spans().some(({ name }) => name === 'send mail')
    await expect.poll(isSent).toBe(true)
    await dispatcher.stop()
    const span = tracing.spans().find(({ name }) => name === 'send mail')!
    expect(span.parentSpanContext).toBeUndefined()
    expect(childrenOf(span)).toMatchObject([{ name: 'SMTP', attributes: { 'server.port': server.port } }])
    await server.stop()
  })
})

describe('with an SDK that does not record a request', () => {
  it('its statements are not recorded either, and its log line still names the trace', async () => {
    const tracing = startTracing(new ParentBasedSampler({ root: new AlwaysOffSampler() }))
    const line = await lineOf(() => ann.get('/list-sessions', { traceparent: `00-${traceId}-${spanId}-00` }))
    expect(tracing.spans()).toEqual([])
    expect(line).toMatchObject({ trace_id: traceId })
    await tracing.stop()
  })
})
