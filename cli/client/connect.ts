import type { Call } from '../../shared/contract/call.ts'
import { isMachineKey } from '../../shared/key-text.ts'
import { cleanLabel, encodeLabel, labelHeader, maxLabelLength } from '../../shared/text-rules.ts'
import type { Jar } from '../accounts/accounts.ts'
import { impersonationOverError } from '../flows/admin/impersonation.ts'
import { keyRefusedError, readOnlyError, usageError } from '../output/cli-error.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Host } from '../process/host.ts'
import { version } from '../process/version.ts'
import { parseSwitch, type Setting, type Settings } from '../settings/settings.ts'
import { findCall } from './calls.ts'
import { isChange } from './check-answer.ts'
import { createClient } from './client.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  bearerTokenOf,
  type Connection,
  type ConnectionCredentials,
  isJar,
  type ObservedRequest,
  type OnChange,
  type SendRequest,
} from './connection.ts'
import { UnkeptAnswerError } from './errors.ts'
import { withKeptSession } from './kept-session.ts'
import { PlannedRequest } from './planned-request.ts'
import type { ProxySettings, ProxyVariable } from './transport/http-client.ts'
import type { RequestRecord } from './transport/request.ts'
import { createTransport, type Transport } from './transport/transport.ts'

type ConnectionHost = Pick<Host, 'env' | 'hostname' | 'stderr' | 'signal'>
type ConnectionSettings = Pick<Settings, 'address' | 'timeout' | 'retries' | 'readOnly' | 'label' | 'debug'> & {
  /** Writes throw `PlannedRequest` instead of being sent. */
  readonly isDryRun?: boolean
  readonly onChange?: OnChange
}

export function connect(who: ConnectionCredentials, settings: ConnectionSettings, host: ConnectionHost): Connection {
  const server = settings.address.value.base
  const listeners = new Set<(request: ObservedRequest) => void>()
  const transport = createTransport({
    baseUrl: server,
    allowHttp: settings.address.value.allowHttp,
    ...(isJar(who) ? { jar: who } : { token: bearerTokenOf(who) }),
    timeout: settings.timeout.value,
    retries: settings.retries.value,
    signal: host.signal,
    language: languageOf(host.env),
    userAgent: `postern/${version} (${process.platform})`,
    proxy: proxyOf(host),
    log: settings.debug.value ? (record: RequestRecord) => void host.stderr.write(debugLine(record)) : undefined,
  })
  const labelled = withLabel(transport.send, labelOf(settings.label, host))
  const guarded = withReadOnlyGuard(withCredentials(labelled, who), settings.readOnly)
  const sending = settings.isDryRun ? withPlannedWrites(guarded, server) : guarded
  const listening = withListeners(sending, listeners)
  const sendByToken = (token: string) => withListeners((request) => transport.send({ ...request, token }), listeners)
  const send = isJar(who) ? withKeptSession(listening, { jar: who, server, sendByToken }) : listening
  return {
    server,
    api: createClient(send, settings.onChange),
    get quietApi() {
      return createClient(withListeners(sending, listeners, { isQuiet: true }))
    },
    send,
    onChange: settings.onChange,
    onRequest(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The language of messages by the locale (POSIX, 8.2): `de_AT.UTF-8` is `de-AT`. */
function languageOf(env: Host['env']): string | undefined {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^[a-z]{2,3}(?:_[A-Z]{2})?(?=[.@]|$)/.exec(locale)?.[0].replace('_', '-')
}

type SendSigned = (request: ApiRequest & { readonly withoutToken?: boolean }) => Promise<ApiAnswer>

const callOf = async ({ call, method, path }: ApiRequest): Promise<Call | undefined> => call ?? findCall(method, path)

async function changes(request: ApiRequest): Promise<boolean> {
  const call = await callOf(request)
  return call ? isChange(call) : request.method !== 'GET'
}

/** Sends the name of this machine with calls that start a session, and with no others. */
const withLabel =
  (send: Transport['send'], label: string | null): SendSigned =>
  async (request) =>
    label !== null && (await callOf(request))?.takesLabel
      ? send({ ...request, headers: { [labelHeader]: encodeLabel(label) } })
      : send(request)

/**
 * A password sign-in replaces an adopted token, whose session its flow ends. A session of cookies is ended by the
 * service in the same answer, so the jar's writability is checked before sending.
 */
const withCredentials =
  (send: SendSigned, who: ConnectionCredentials): SendRequest =>
  async (request) => {
    if (isJar(who)) return request.method === 'POST' ? sendWithJar(send, who, request) : send(request)
    const answer = await send(request)
    if (answer.status !== 401) return answer
    // Signing in again helps with neither: an API key has expired or is not valid here.
    if (typeof who === 'object') throw impersonationOverError(who.email)
    if (who !== undefined && isMachineKey(who)) throw keyRefusedError()
    return answer
  }

async function sendWithJar(send: SendSigned, jar: Jar, request: ApiRequest): Promise<ApiAnswer> {
  const isSignIn = /^\/sign-(in|up)\//.test(request.path)
  if (isSignIn || request.path === '/change-password') await jar.checkWritable()
  if (!isSignIn || (jar.token() ?? jar.impersonation()) === undefined) return send(request)
  const answer = await send({ ...request, withoutToken: true })
  if (answer.status >= 300 || answer.refusedSession) return answer
  await jar.setToken(undefined)
  // The impersonation ended with the session that started it.
  await jar.endImpersonation()
  return answer
}

const withReadOnlyGuard =
  (send: SendRequest, { value: isReadOnly, from }: Setting<boolean>): SendRequest =>
  async (request) => {
    if (isReadOnly && (await changes(request))) throw readOnlyError(from)
    return send(request)
  }

const withPlannedWrites =
  (send: SendRequest, server: string): SendRequest =>
  async (request) => {
    if (await changes(request)) throw new PlannedRequest(request, server)
    return send(request)
  }

const withListeners =
  (
    send: SendRequest,
    listeners: ReadonlySet<(request: ObservedRequest) => void>,
    how: Pick<ObservedRequest, 'isQuiet'> = {},
  ): SendRequest =>
  async (request: ApiRequest) => {
    const start = performance.now()
    const tell = (status: number | undefined, requestId?: string) => {
      const { method, path, query, body } = request
      const milliseconds = Math.round(performance.now() - start)
      const seen = { method, path, query, body, status, milliseconds, requestId, ...how }
      for (const listener of listeners) listener(seen)
    }
    try {
      const answer = await send(request)
      tell(answer.status, [answer.headers['x-request-id']].flat()[0])
      return answer
    } catch (error) {
      tell(error instanceof UnkeptAnswerError ? error.status : undefined)
      throw error
    }
  }

export const proxyOf = ({ env }: Pick<Host, 'env'>): ProxySettings => ({
  https: firstSet(env, ['HTTPS_PROXY', 'https_proxy']),
  http: firstSet(env, ['HTTP_PROXY', 'http_proxy']),
  no: env['NO_PROXY'] || env['no_proxy'],
})

/** The first of these variables that is set. */
const firstSet = (env: Host['env'], names: readonly string[]): ProxyVariable | undefined =>
  names.map((name) => ({ name, url: env[name] ?? '' })).find(({ url }) => url !== '')

/** The `--debug` lines of one attempt. The record holds no secrets. */
function debugLine(record: RequestRecord): string {
  const { method, url, attempt, status, ms, bodyKeys, error } = record
  const head = `${method} ${url}${attempt > 1 ? ` (try ${attempt})` : ''} -> ${status ?? 'no answer'} in ${Math.round(ms)} ms`
  const lines = [
    head,
    ...(bodyKeys.length > 0 ? [`  body: ${bodyKeys.join(', ')}`] : []),
    ...headerLines('>', record.requestHeaders),
    ...headerLines('<', record.headers),
    ...record.refusedCookies.map((name) => `  cookie refused: ${name}`),
    ...(error === undefined ? [] : [`  ${error}`]),
  ]
  return `${lines.map((line) => `debug: ${escapeControls(line)}`).join('\n')}\n`
}

const headerLines = (arrow: string, headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `  ${arrow} ${name}: ${value}`)

/** The name of this machine in the session list: from the flag, otherwise its unqualified host name. */
function labelOf({ value, from }: Setting<string | undefined>, { env, hostname = '' }: ConnectionHost): string | null {
  if (value !== undefined) return checkedLabel(value, from)
  if (parseSwitch(env['POSTERN_NO_LABEL'] || 'off', 'POSTERN_NO_LABEL')) return null
  const [name = ''] = hostname.split('.')
  return name === 'localhost' ? null : cleanLabel(name)
}

function checkedLabel(text: string, flag: string): string {
  const label = cleanLabel(text)
  if (label === null) throw usageError(`${flag} is empty`, 'To send no label: POSTERN_NO_LABEL=on', [flag])
  if (Array.from(text.trim()).length > maxLabelLength)
    throw usageError(`${flag} has more than ${maxLabelLength} characters`, 'Give a short name: --label laptop', [flag])
  return label
}
