import { exitCodes } from '../../shared/exit-codes.ts'
import type { Jar } from '../accounts/accounts.ts'
import { CliError } from '../output/cli-error.ts'
import type { ApiAnswer, SendRequest } from './connection.ts'

interface Keeping {
  readonly jar: Jar
  readonly server: string
  readonly sendByToken: (token: string) => SendRequest
}

/** The calls whose answer has the token of a session that its cookie opens, and what they have done even without it. */
const done: Readonly<Record<string, string>> = {
  '/sign-in/email': '',
  '/sign-up/email': 'The account was created, but nobody is signed in. ',
  '/change-password': 'The password was changed and every session ended. ',
}

/**
 * Fails if the jar did not take the session that a call has opened: nobody would be signed in. Nobody could use that
 * session either, so it is ended. The answer to a request by path alone is what was asked for, so it stays.
 */
export const withKeptSession =
  (send: SendRequest, { jar, server, sendByToken }: Keeping): SendRequest =>
  async (request) => {
    const answer = await send(request)
    const { refusedSession } = answer
    if (request.call === undefined || (!refusedSession && jar.isSignedIn())) return answer
    const before = done[request.path]
    const token = before === undefined ? extraTokenIn(answer, jar) : tokenIn(answer)
    if (token === undefined) return answer
    const details = (await isEnded(sendByToken(token))) ? [] : [livesOn]
    if (before === undefined) return answer
    if (refusedSession) throw refusedError(before, refusedSession, { server, details })
    throw new CliError(exitCodes.server, `${before}${server} set no session cookie`, {
      code: 'UNEXPECTED_ANSWER',
      details,
      hint: 'Is there a proxy before it that removes cookies?',
    })
  }

const livesOn = 'The session that was opened could not be ended: it stays valid until it expires'

/** The link of a mail may open a session too. Its flow looks into the jar for it, and promises none. */
const extraTokenIn = ({ refusedSession }: ApiAnswer, jar: Jar): string | undefined =>
  jar.isSignedIn() ? undefined : refusedSession?.token

/** Null in the body if there is no session, as when the address has to be verified first. */
function tokenIn({ status, body }: ApiAnswer): string | undefined {
  const { token } = Object(body)
  return status < 300 && typeof token === 'string' ? token : undefined
}

const isEnded = (send: SendRequest): Promise<boolean> =>
  send({ method: 'POST', path: '/sign-out' }).then(
    ({ status }) => status < 300 || status === 401,
    () => false,
  )

interface Refused {
  readonly server: string
  readonly details: readonly string[]
}

const refusedError = (
  before: string,
  { reason, isOfAddress }: NonNullable<ApiAnswer['refusedSession']>,
  { server, details }: Refused,
): CliError =>
  new CliError(
    isOfAddress ? exitCodes.usage : exitCodes.server,
    `${before}The session cookie of ${server} was refused: ${reason}`,
    {
      code: 'COOKIE_REFUSED',
      details,
      ...(isOfAddress
        ? { hint: "Use the address in the service's BASE_URL: --url https://…", fields: ['--url'] }
        : { hint: "Tell the service's operator. --debug shows the names of cookies that are refused" }),
    },
  )
