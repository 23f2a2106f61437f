import { execFile } from 'node:child_process'
import { exitCodes } from '../../shared/exit-codes.ts'
import { proxyOf } from '../client/connect.ts'
import { AnswerError } from '../client/errors.ts'
import { parseJson } from '../client/json.ts'
import { checkBase } from '../client/transport/address.ts'
import { clientErrorOf } from '../client/transport/client-error.ts'
import { createHttpClient, type HttpResponse, type ProxySettings } from '../client/transport/http-client.ts'
import type { Context } from '../context.ts'
import { CliError } from '../output/cli-error.ts'
import type { Environment } from '../process/host.ts'

/** GitHub Actions creates one on request in jobs with `permissions: id-token: write`. */
const tokenOfGitHub: TokenSource = async (job) => {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = job.env
  return address && token ? askGithub(job, address, token) : undefined
}

/** The only call that does not go to the service: https, or http to this machine, without redirects. */
async function askGithub(job: Job, address: string, token: string): Promise<string> {
  const url = addressFor(address, job.audience)
  const client = createHttpClient(url, job.timeout, job.proxy)
  const signal = AbortSignal.any([job.signal, AbortSignal.timeout(job.timeout)])
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  try {
    return await tokenIn(url.origin, await client.send({ method: 'GET', url, headers, body: null, signal }))
  } catch (error) {
    job.signal.throwIfAborted()
    throw clientErrorOf(url.origin, error, 'GET')
  } finally {
    await client.close()
  }
}

/** The address already has a query. */
function addressFor(address: string, audience: string): URL {
  const [base = '', query = ''] = address.split('?')
  const url = checkBase(base)
  url.search = query
  url.searchParams.set('audience', audience)
  return url
}

async function tokenIn(origin: string, { status, text }: HttpResponse): Promise<string> {
  const body = await text()
  const { value } = status === 200 ? valueIn(body) : {}
  if (typeof value === 'string') return value
  throw new AnswerError(`${origin} gave no id token (status ${status})`, 'Run the job again; GitHub may have an outage')
}

function valueIn(body: string): { readonly value?: unknown } {
  try {
    return Object(parseJson(body))
  } catch {
    return {}
  }
}

const agent = 'buildkite-agent'

/** Buildkite's agent provides one for the job that it runs. */
const tokenOfBuildkite: TokenSource = async (job) => (job.env['BUILDKITE'] === 'true' ? askAgent(job) : undefined)

const askAgent = ({ audience, env, cwd, timeout, signal }: Job): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const args = ['oidc', 'request-token', '--audience', audience]
    const options = { env: { ...env }, cwd, timeout, signal, encoding: 'utf8', windowsHide: true } as const
    execFile(agent, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim())
      if (error.code === 'ENOENT') return resolve(undefined)
      reject(signal.aborted ? signal.reason : refusedBy(stderr, error))
    })
  })

/** The last line of the agent's error output. */
function refusedBy(said: string, cause: unknown): CliError {
  const why = said.trim().split('\n').at(-1)?.slice(0, 300)
  return new CliError(exitCodes.failure, `buildkite-agent gave no id token${why ? `: ${why}` : ''}`, {
    code: 'NO_ID_TOKEN',
    hint: 'Try it by itself: buildkite-agent oidc request-token --audience URL',
    cause,
  })
}

const tokenVariable = 'POSTERN_ID_TOKEN'

/** GitLab and others put it into a variable that the job file names. */
const tokenOfVariable: TokenSource = async ({ env }) => env[tokenVariable] || undefined

/** The job's own variable comes first. */
const tokenSources: readonly TokenSource[] = [tokenOfVariable, tokenOfGitHub, tokenOfBuildkite]

/** The id token of the current CI job. Exit 14 if there is none. */
async function idTokenOf(job: Job): Promise<string> {
  for (const way of tokenSources) {
    const token = await way(job)
    if (token) return token
  }
  throw noToken(job)
}

const noToken = ({ env, audience, ready }: Job): CliError =>
  new CliError(exitCodes.inputNeeded, 'No id token of a CI provider is available here', {
    code: 'INPUT_NEEDED',
    details: [
      `GitHub Actions: give the job${env['GITHUB_ACTIONS'] === 'true' ? ', which lacks it,' : ''} permissions: id-token: write`,
      `GitLab CI: give the job id_tokens: ${tokenVariable}: aud: ${audience}`,
      'Buildkite: run it in a job, with buildkite-agent in the PATH',
      `Others: put the token, made for ${audience}, into ${tokenVariable} or a file`,
    ],
    hint: ready,
    fields: ['--id-token-file'],
  })

/** The id token of the current CI job for this audience. `ready`: the command line that reads one from a file. */
export const idTokenFor = (
  { host, settings }: Context,
  { audience, ready }: Pick<Job, 'audience' | 'ready'>,
): Promise<string> => {
  const { env, cwd, signal } = host
  return idTokenOf({ env, cwd, signal, audience, ready, timeout: settings.timeout.value, proxy: proxyOf(host) })
}

/** The current CI job, and the audience of its id token. */
interface Job {
  readonly env: Environment
  readonly cwd: string
  readonly audience: string
  readonly ready: string
  /** Timeout for its provider, in milliseconds. */
  readonly timeout: number
  readonly proxy: ProxySettings
  readonly signal: AbortSignal
}

/** Gets the id token in one way; undefined if that way is not available. */
type TokenSource = (job: Job) => Promise<string | undefined>
