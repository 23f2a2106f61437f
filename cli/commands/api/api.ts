import { resolve } from 'node:path'
import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Identity } from '../../accounts/identity.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { collect } from '../../argv/flags.ts'
import { refuseRows } from '../../argv/output-flag.ts'
import type { ApiAnswer, ApiRequest } from '../../client/connection.ts'
import { parseJson } from '../../client/json.ts'
import type { Context } from '../../context.ts'
import { type CliError, changedError, usageError } from '../../output/cli-error.ts'
import { curlLine, type ShellValue } from '../../output/curl-line.ts'
import { escapeControls, jsonText } from '../../output/escape-controls.ts'
import { commandLine, quoted } from '../../output/shell-line.ts'
import type { Input } from '../../process/stdin.ts'
import { readSecret, type Wanted } from '../../settings/secret.ts'
import { apiDescribeCommand, apiListCommand } from './calls.ts'

interface ApiOptions {
  readonly method?: string
  readonly field?: readonly string[]
  readonly typedField?: readonly string[]
  readonly include?: boolean
  readonly paginate?: boolean
  readonly print?: string
}

/** Any call can be made, so any kind of failure can come. */
const anyFailure = [
  'signedOut',
  'forbidden',
  'notFound',
  'conflict',
  'pending',
  'rateLimited',
  'network',
  'server',
  'rejected',
  'localState',
] as const

export const apiCommand = (context: Context): Command => {
  const command: Command = new Command('api')
    .description('Make any call to the service, by path')
    .helpCommand(false)
    .argument('[path]', 'path below the base path, such as /get-session')
    .option('-X, --method <method>', 'GET or POST; default: POST if fields are given')
    .option('-f, --field <key=text>', 'a field of the body, or of the query of a GET', collect)
    .option('-F, --typed-field <key=json>', 'the same, parsed as JSON; @file and - (stdin) are sent as text', collect)
    .option('-i, --include', 'print status and headers too')
    .option('--paginate', 'all pages of a list: its rows in one answer, or one a line with --ndjson')
    .option('--print <form>', 'curl: print the request as a curl command; body: print its body; neither sends it')
    .action((path: string | undefined, options: ApiOptions) =>
      path ? ask(context, path, options) : command.outputHelp(),
    )
    .addCommand(withLs(apiListCommand(context)))
    .addCommand(apiDescribeCommand(context))
  return describeCommand(command, {
    form: 'none',
    fields: {},
    globalFlags: ['--account'],
    ends: anyFailure,
    examples: [
      '/get-session',
      '/update-user -f name="Alice Liddell"',
      '/sign-in/email -f email=alice@example.com -F password=@password.txt --print curl',
      '/admin/list-audit-events --paginate --ndjson',
      'list',
    ],
  })
}

const withLs = (list: Command): Command => list.alias('ls')

async function ask(context: Context, path: string, options: ApiOptions): Promise<void> {
  refuseRows(context.flags)
  const { print, include, paginate } = options
  const fields = fieldsOf(options)
  const asked = { path, method: options.method ?? (fields.length > 0 ? 'POST' : 'GET'), fields }
  if (print === 'curl') return printCurl(context, asked)
  if (print === 'body') return printBody(context, asked)
  if (print !== undefined) throw usageError(`--print takes curl or body, not ${print}`, undefined, ['--print'])
  if (paginate) checkPaginated(asked.method, include)
  const request = requestOf(path, asked.method, await readFields(fields, context.host))
  const { send } = await connectFor(context, path)
  if (paginate) return (await import('./pages.ts')).printPages(context, send, request)
  const answer: ApiAnswer = await send(request)
  printAnswer(context, answer, include)
  if (isRefused(answer)) throw await refusalOf(answer, path)
}

/**
 * A sign-in by path is nobody's: the answer has its token. As the account of the run, it would end the session of that
 * account and store another person's under its name.
 */
const opensSession = (path: string): boolean => /^\/?sign-(?:in|up)\//.test(path)

const connectFor = (context: Context, path: string) =>
  opensSession(path) ? context.connectAs(undefined) : context.connect()

function checkPaginated(method: string, include: boolean | undefined): void {
  if (methodOf(method) !== 'GET')
    throw usageError('--paginate is for lists, which are a GET', undefined, ['--paginate'])
  if (include)
    throw usageError('--include shows one answer and cannot be combined with --paginate', undefined, ['--include'])
}

interface ApiCall {
  readonly path: string
  readonly method: string
  readonly fields: readonly RequestField[]
}

async function printCurl(context: Context, { path, method, fields }: ApiCall): Promise<void> {
  const shown = fields.filter(({ file }) => file === undefined)
  const request = requestOf(path, method, await readFields(shown, context.host))
  const { base } = context.settings.address.value
  const identity = opensSession(path) ? {} : await context.identity()
  const curl = curlOf({ request, fields, base, identity })
  context.out.text(curl, { curl })
}

/** The body is meant for another program, so the contents of files are not printed to a terminal. */
async function printBody({ host, out }: Context, { path, method, fields }: ApiCall): Promise<void> {
  if (host.stdout.isTTY && fields.some(({ file }) => file !== undefined))
    throw usageError('This would show the contents of a file on a terminal', 'Pipe the output into a program', [
      '--print',
    ])
  const { body } = requestOf(path, method, await readFields(fields, host))
  if (body === undefined) throw usageError('A GET has no body', undefined, ['--print'])
  out.text(JSON.stringify(body), body as object)
}

const isRefused = ({ status }: ApiAnswer): boolean => status < 200 || status > 299

/** Prints the answer unchanged; of a refusal only what was asked for. */
function printAnswer(context: Context, answer: ApiAnswer, include: boolean | undefined): void {
  const body = jsonText(answer.body, context.host.stdout.isTTY ? 2 : undefined)
  if (include)
    context.out.text(`${headOf(answer)}\n\n${body}`, {
      status: answer.status,
      headers: answer.headers,
      body: answer.body,
    })
  else if (!isRefused(answer)) context.out.text(body, answer.body as object)
}

/** The usual hints name flags of other commands. Where fields are the reason, this one leads to those of the call. */
async function refusalOf(answer: ApiAnswer, path: string): Promise<CliError> {
  // The modules come with the client, which a usage error must not load.
  const { serviceFailureOf } = await import('../../client/client.ts')
  const { toCliError } = await import('../../output/error-report.ts')
  const error = toCliError(await serviceFailureOf(answer))
  const { exitCode } = error
  if (exitCode !== exitCodes.rejected && exitCode !== exitCodes.conflict) return error
  return changedError(error, { hint: `See its fields: postern api describe ${path.split('?')[0]}` })
}

function headOf({ status, headers }: ApiAnswer): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${escapeControls([value ?? ''].flat().join(', '))}`,
  )
  return [`HTTP ${status}`, ...lines].join('\n')
}

interface CurlParts {
  /** Contains only the fields whose values do not come from files. */
  readonly request: ApiRequest
  readonly fields: readonly RequestField[]
  /** The service's base URL, including the path prefix of its calls. */
  readonly base: string
  readonly identity: Pick<Identity, 'token' | 'account' | 'file'>
}

/** The request as a shell command. The session and files are read when the command runs, so no secret is printed. */
function curlOf({ request, fields, base, identity }: CurlParts): string {
  const { method, path, query, body } = request
  const search = query ? `?${new URLSearchParams(query).toString().replaceAll('+', '%20')}` : ''
  const files = fields.filter(({ file }) => file !== undefined)
  const values = [...bearerOf(identity, base), ...(method === 'GET' ? files.map(queryOf) : bodyOf(path, fields))]
  const words: string[] = []
  if (method === 'POST') words.push('-X POST', '-H', quoted('content-type: application/json'))
  if (method === 'POST' && files.length === 0) words.push(`--data-raw ${quoted(json(body))}`)
  if (method === 'GET' && files.length > 0) words.push('-G')
  return curlLine([...words, quoted(base + path + search)], values)
}

const json = (body: unknown): string => JSON.stringify(body ?? {})

/**
 * The bearer token. Its source names the service and the account, or where the token is from, so the command sends no
 * other token, whoever is signed in where it runs.
 */
function bearerOf(identity: CurlParts['identity'], base: string): readonly ShellValue[] {
  const source = tokenSource(identity, base)
  return source ? [{ name: 'token', source, option: 'header', before: 'authorization: Bearer ' }] : []
}

function tokenSource({ token, account, file }: CurlParts['identity'], base: string): string | undefined {
  if (account) return `$(postern auth token --url ${quoted(base)} --account ${quoted(account.email)})`
  if (file !== undefined) return `$(cat -- ${quoted(file)})`
  return token && '${POSTERN_TOKEN:?}'
}

/** The body of a POST that has values of files. */
function bodyOf(path: string, fields: readonly RequestField[]): readonly ShellValue[] {
  if (fields.every(({ file }) => file === undefined)) return []
  const command = ['postern api', quoted(path), ...fields.map(flagOf), '--print body'].join(' ')
  return [{ name: 'body', source: `$(${command})`, option: 'data-raw', isText: true }]
}

const flagOf = ({ flag, key, text, file }: RequestField): string =>
  `${flag} ${quoted(`${key}=${file === undefined ? text : file === '-' ? file : `@${file}`}`)}`

const queryOf = ({ key, file = '-' }: RequestField, index: number): ShellValue => ({
  name: `value${index + 1}`,
  source: file === '-' ? '$(cat)' : `$(cat -- ${quoted(file)})`,
  option: 'data-urlencode',
  before: `${encodeURIComponent(key)}=`,
  isText: true,
})

/** Builds the request from a path, a method and fields. Fields become the query of a GET or the body of a POST. */
function requestOf(path: string, asked: string, fields: Readonly<Record<string, unknown>>): ApiRequest {
  const method = methodOf(asked)
  const [plain = '', ...rest] = path.split('?')
  // A second question mark belongs to a value.
  const search = new URLSearchParams(rest.join('?'))
  const pairs = [...search, ...(method === 'GET' ? texts(fields) : [])]
  refuseRepeats(pairs.map(([name]) => name))
  const query = pairs.length > 0 && { query: Object.fromEntries(pairs) }
  return { method, path: slashed(plain), ...query, ...(method === 'POST' && { body: fields }) }
}

/** One of the values would be lost without a word. */
function refuseRepeats(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice === undefined) return
  const hint = `Give it once. A list in a body is JSON: -F '${twice}=["one","two"]'`
  throw usageError(`${twice} is given more than once, but takes one value`, hint, [twice])
}

function methodOf(text: string): ApiRequest['method'] {
  const method = text.toUpperCase()
  if (method === 'GET' || method === 'POST') return method
  throw usageError(`The service supports GET and POST, not ${text}`, 'See its calls: postern api list', ['--method'])
}

const slashed = (path: string): string => (path.startsWith('/') ? path : `/${path}`)

const texts = (fields: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])

interface FieldFlags {
  readonly field?: readonly string[]
  readonly typedField?: readonly string[]
}

/** One `-f` or `-F` flag: its value, or the file (`-` for stdin) to read it from. */
interface RequestField {
  readonly flag: '-f' | '-F'
  readonly key: string
  readonly text: string
  /** Absolute path. */
  readonly file?: string
}

/** Parses and checks the fields of `-f` (text) and `-F` (JSON, or the text of a file or stdin). Reads no file yet. */
function fieldsOf({ field = [], typedField = [] }: FieldFlags): readonly RequestField[] {
  const fields = [...field.map((pair) => split(pair, '-f')), ...typedField.map((pair) => located(split(pair, '-F')))]
  refuseRepeats(fields.map(({ key }) => key))
  return fields
}

/** The values of the fields, after reading files and stdin. */
async function readFields(fields: readonly RequestField[], host: Input): Promise<Record<string, unknown>> {
  const pairs: [string, unknown][] = []
  for (const field of fields) pairs.push([field.key, await valueOf(field, host)])
  return Object.fromEntries(pairs)
}

function split(pair: string, flag: RequestField['flag']): RequestField {
  const at = pair.indexOf('=')
  if (at < 1) throw usageError(`${flag} takes key=value, not ${pair}`, undefined, [flag])
  return { flag, key: pair.slice(0, at), text: pair.slice(at + 1) }
}

function located(field: RequestField): RequestField {
  const { text } = field
  if (text === '-' || text === '@-') return { ...field, file: '-' }
  return text.startsWith('@') ? { ...field, file: resolve(text.slice(1)) } : field
}

const wantedOf = (key: string): Wanted => ({
  name: `-F ${key}`,
  what: `value for ${key}`,
  inFile: commandLine('-F', `${key}=@FILE`),
  whenEmpty: `To send an empty text: ${commandLine('-f', `${key}=`)}`,
})

async function valueOf({ flag, key, text, file }: RequestField, host: Input): Promise<unknown> {
  if (file !== undefined) return readSecret(file, wantedOf(key), host)
  if (flag === '-f') return text
  try {
    return parseJson(text)
  } catch {
    throw usageError(`-F ${key} is not JSON: ${text}`, `For text use -f ${key}=…`, ['-F'])
  }
}
