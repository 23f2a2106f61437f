import type { Contract } from '../../shared/contract/index.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { commandLine } from '../output/shell-line.ts'
import type { ApiClient, ApiRequest, SendRequest } from './client.ts'

/** A connection that speaks with the token of the session. */
interface Unkept {
  readonly server: string
  readonly api: ApiClient<Contract>
  readonly send: SendRequest
}

/**
 * Ends a session whose cookie could not be kept, and says what happened. Exit 2 where its
 * cookie was refused because the address is of http: the same command does it with the right address.
 */
export async function unkeptSession(
  { api, send, server }: Unkept,
  { path, body }: ApiRequest,
  isRefused: boolean,
): Promise<CliError> {
  const own = await ownAddress(send)
  await api.account.signOut({}).catch(() => undefined)
  const details = path.startsWith('/sign-up/') ? ['The account was made; sign in to it'] : []
  if (isRefused && server.startsWith('http:'))
    return new CliError(
      exitCodes.usage,
      `Nobody is signed in: ${server} is asked over http, and the service gives its session cookie to https alone`,
      { code: 'SESSION_NOT_KEPT', details, hint: signInAt(own, Object(body).email), fields: ['--url'] },
    )
  return new CliError(exitCodes.server, `Nobody is signed in: ${server} answered without a session cookie to be kept`, {
    code: 'SESSION_NOT_KEPT',
    details,
    hint: 'Does a proxy change Set-Cookie on the way? --debug names the cookies that were refused',
  })
}

/** The address that the service goes by, when it is one of https. */
async function ownAddress(send: SendRequest): Promise<string | undefined> {
  const described = await send({ method: 'GET', path: '/openapi.json' }).catch(() => undefined)
  const { url } = Object([Object(described?.body).servers].flat()[0])
  return typeof url === 'string' && URL.canParse(url) && url.startsWith('https://') ? url : undefined
}

const signInAt = (url: string | undefined, email: unknown): string =>
  url === undefined
    ? 'Give the https address of the service, its BASE_URL, with --url or POSTERN_URL'
    : commandLine('postern', 'sign-in', ...(typeof email === 'string' ? ['--email', email] : []), '--url', url)
