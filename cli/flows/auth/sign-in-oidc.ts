import type { SessionView } from '../../../shared/entities.ts'
import { catalogue, type FailureName } from '../../../shared/errors.ts'
import { type ExitCode, exitCodes } from '../../../shared/exit-codes.ts'
import { exchangeGrantType, namesOrganizationOrRule, subjectTokenTypes } from '../../../shared/key-text.ts'
import { accountRefOf } from '../../accounts/accounts.ts'
import { ServiceFailure } from '../../client/errors.ts'
import { CliError, serverError } from '../../output/cli-error.ts'
import type { FieldType } from '../../output/json.ts'
import { commandLine } from '../../output/shell-line.ts'
import { relativeTime } from '../../output/time.ts'
import { serverField } from '../account/fields.ts'
import { type Flow, flag, noSubject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { principalOf } from './principal.ts'
import { type Claims, claimLines, claimsOf } from './sign-in-id-token.ts'

const fields = {
  idToken: {
    kind: 'secret',
    label: 'Id token',
    flag: '--id-token-file <file>',
    isOptional: true,
  },
  audience: {
    kind: 'text',
    label: 'Audience',
    flag: '--audience <audience>',
    summary: 'with --oidc: the audience of the token, if the trust rule names another than the service',
    isOptional: true,
    isNeverEmpty: true,
  },
  trust: {
    kind: 'text',
    label: 'Trust rule',
    flag: '--trust <rule>',
    summary: 'with --oidc: id or name of the trust rule, if several accept the token; without --org, its id',
    isOptional: true,
    isNeverEmpty: true,
  },
  server: serverField,
} as const

interface MachineSession {
  readonly id: string
  readonly principal: string
  readonly organizationId: string | null
  readonly expiresAt: Date
}

const machineFields = {
  id: 'text',
  principal: 'text',
  organizationId: 'text?',
  expiresAt: 'date',
} as const satisfies Record<keyof MachineSession, FieldType>

export const signInAsMachine: Flow<undefined, typeof fields, unknown, MachineSession> = {
  command: 'sign-in --oidc',
  summary: "Sign in a CI job with its provider's id token, without a secret",
  title: 'Sign in as a machine',
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/token-exchange',
  answer: machineFields,
  examples: ['--oidc --org acme', '--oidc --org acme --id-token-file - < token.txt'],
  run: async (context, _, { idToken = '', trust, server }) => {
    const token = idToken.trim()
    const { accessToken, seconds } = await exchange(context, { server, token, trust, claims: claimsOf(token) })
    const { api } = await context.withToken(server, accessToken)
    const view = await api.session.getSession()
    if (!view) throw serverError(`${server} accepted the id token but opened no session`)
    const principal = await principalOf(api, view)
    const account = accountRefOf(server, view.user.email)
    await context.accounts.adopt(account, accessToken)
    await context.accounts.choose(account)
    const left = relativeTime(new Date(seconds * 1000), 0)
    return {
      sentence: `Signed in as ${principal}: the session ends ${left}`,
      status: 'created',
      resource: sessionIn(view, principal),
      leadsHome: true,
    }
  },
}

/**
 * Exit 14 if neither an organization nor a rule is given, before a token is requested: otherwise a stranger's rule
 * could accept the token.
 */
export function requireOrganizationOrRule(
  { organization, scope }: Pick<FlowContext, 'organization' | 'scope'>,
  { trust, audience }: { readonly trust?: string | undefined; readonly audience?: string | undefined },
): void {
  if (namesOrganizationOrRule({ organization, trust })) return
  throw new CliError(
    exitCodes.inputNeeded,
    '--org is needed: any organization could have a rule that accepts the token',
    {
      code: 'INPUT_NEEDED',
      details: ["Or set POSTERN_ORG, or give --trust with a rule's id"],
      hint: machineLine({ organization: 'ORG', scope }, { trust, audience }),
      fields: ['--org'],
    },
  )
}

/** The command line with what is known already. Without an organization, a trust rule's id identifies it. */
export const machineLine = (
  { organization, scope }: Pick<FlowContext, 'organization' | 'scope'>,
  given: { readonly idToken?: string; readonly audience?: string | undefined; readonly trust?: string | undefined },
): string => {
  const { idToken, audience, trust } = given
  const org = scope.includes('--org') ? [] : flag('org', organization)
  const flags = [...org, ...flag('id-token-file', idToken), ...flag('audience', audience), ...flag('trust', trust)]
  return commandLine('postern', 'sign-in', '--oidc', ...flags, ...scope)
}

const sessionIn = ({ user, session }: SessionView, principal: string) => {
  const { id, email, name, image, emailVerified, createdAt, updatedAt } = user
  const { activeOrganizationId: organizationId, expiresAt } = session
  return { id, email, name, image, emailVerified, createdAt, updatedAt, principal, organizationId, expiresAt }
}

interface Exchange {
  readonly server: string
  readonly token: string
  readonly trust: string | undefined
  readonly claims: Claims
}

/**
 * Names the organization by id or slug, since nobody is signed in who could look it up, unless the rule's id identifies
 * it.
 */
async function exchange(context: FlowContext, { server, token, trust, claims }: Exchange) {
  const { api } = await context.asNobody(server)
  const { organization } = context
  const asked = {
    grant_type: exchangeGrantType,
    subject_token: token,
    subject_token_type: subjectTokenTypes[0],
    ...(organization && { organization }),
    ...(trust && { trust }),
  }
  const answer = await api.trust.exchangeToken(asked).catch((error: unknown) => {
    throw error instanceof ServiceFailure && error.status === 400 ? explained(error, claims, context) : error
  })
  return { accessToken: answer.access_token, seconds: answer.expires_in }
}

/**
 * The service does not tell the sender why the token is refused, so the claims are shown for comparison. The reason is
 * in the log of the service, and in the trail of an organization that has a rule for the issuer.
 */
const explanations: readonly Explanation[] = [
  {
    failure: 'EXCHANGE_AMBIGUOUS',
    exitCode: exitCodes.conflict,
    code: 'AMBIGUOUS',
    hint: ({ organization = 'ORG', scope }) => machineLine({ organization, scope }, { trust: 'RULE' }),
  },
  {
    failure: 'EXCHANGE_SPONSOR_GONE',
    exitCode: exitCodes.signedOut,
    code: 'SPONSOR_GONE',
    hint: 'Which rule it is, its owners see in the trail: postern org activity',
  },
  {
    failure: 'EXCHANGE_TOKEN_REFUSED',
    exitCode: exitCodes.signedOut,
    code: 'ID_TOKEN_REFUSED',
    hint: 'Compare with the rules: postern key trust list. Which check failed, if the organization has a rule for the issuer: postern org activity',
    showsClaims: true,
  },
]

interface Explanation {
  /**
   * In OAuth's terms all three are `invalid_request` (RFC 8693, 2.2.2), so that only the sentence tells which it is.
   */
  readonly failure: FailureName
  readonly exitCode: ExitCode
  readonly code: string
  readonly hint: string | ((context: FlowContext) => string)
  readonly showsClaims?: true
}

/** Any other refusal is not about the token and keeps its own words. */
function explained(cause: ServiceFailure, claims: Claims, context: FlowContext): unknown {
  const found = explanations.find(({ failure }) => cause.message === catalogue[failure].message)
  if (!found) return cause
  const { exitCode, code, showsClaims } = found
  const hint = typeof found.hint === 'string' ? found.hint : found.hint(context)
  const details = showsClaims && ['Claims of the token:', ...claimLines(claims)]
  return new CliError(exitCode, cause.message, { code, status: cause.status, details, hint, cause })
}
