import { v7 as uuid } from 'uuid'
import type { User } from '../../../shared/entities.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { type FoundIdentity, findIdentity } from '../../db/identities.ts'
import { enterKnown, enterLinked, type KnownEntrance } from '../../db/identity-sign-in.ts'
import { type Notice, storeLink } from '../../db/links.ts'
import type { SealedTokens } from '../../db/provider-accounts.ts'
import { createProviderUser } from '../../db/provider-users.ts'
import { isUsedBefore, type Use } from '../../db/states.ts'
import type { Deps } from '../../deps.ts'
import type { Identity } from '../../providers/identity.ts'
import type { ConfiguredProvider, Registration } from '../../providers/provider.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { sameProvenAddress } from '../../request/way-in.ts'
import { recordRefusal } from '../audit/record.ts'
import { logWithheld, ownMailLimits, signUpMailLimits } from '../mail-limits.ts'
import { alertOf, verificationLink } from '../mailed-link.ts'
import { prepareSession } from '../session/start.ts'
import { overrideOf } from './override.ts'

/** A proven identity with an address, however it was proven. */
export interface Proven {
  readonly configured: ConfiguredProvider
  readonly identity: Identity & { readonly email: string }
  readonly requestSignUp: boolean
  /** Led back from the provider itself: only then may its profile replace ours, if the settings say so. */
  readonly isLedBack?: boolean
  /** Who it is approves the sign-in of another machine, by this claim, and gets no session; null or absent: a session is begun. */
  readonly claim?: Buffer | null
  /** The token that proved it, used up by what it leads to; absent: nothing that stays proved it. */
  readonly use?: TokenUse
  /** What is kept of the tokens, for the row of that id. */
  readonly tokensOf: (id: string) => SealedTokens
}

/** A token that signs in once, and what the call says of one that was used before. */
export interface TokenUse extends Use {
  readonly refusal: FailureName
}

export interface Entered {
  /** As it was found: without what the provider's profile has just replaced. */
  readonly user: User
  readonly issued: IssuedSession
  readonly isNew: boolean
}

/** When an account, an address or a user changed between look and write, everything is looked at again. */
const maxTries = 4

/** Signs in whom an identity leads to, links it, or makes a user: one rule for every way to prove an identity. */
export async function enterBy(deps: Deps, client: Client, proven: Proven): Promise<Entered> {
  try {
    return await enterWithin(deps, client, proven, maxTries).catch(refusedIfUsed(proven))
  } catch (error) {
    if (error instanceof Failure && error.failure !== 'SERVICE_UNAVAILABLE')
      await recordRefusal(deps, client, 'sign-in-failed', { userId: null, reason: error.failure })
    throw error
  }
}

/** Of two at once with the same token one signs in: nothing was done by the other. */
const refusedIfUsed =
  ({ use }: Proven) =>
  (error: unknown): never => {
    throw use && isUsedBefore(error) ? new Failure(use.refusal, { cause: error }) : error
  }

async function enterWithin(deps: Deps, client: Client, proven: Proven, tries: number): Promise<Entered> {
  const entered = await enterOnce(deps, client, proven)
  if (typeof entered !== 'string') return entered
  if (tries === 1) throw new Failure(entered)
  return enterWithin(deps, client, proven, tries - 1)
}

/** What could not be done, since somebody changed something meanwhile. */
type Lost = 'USER_NOT_CREATED' | 'ACCOUNT_LINK_FAILED' | 'SESSION_NOT_CREATED'

async function enterOnce(deps: Deps, client: Client, proven: Proven): Promise<Entered | Lost> {
  const { identity, configured } = proven
  const key = { providerId: configured.provider.id, accountId: identity.id }
  const found = await findIdentity(deps.sql, key, identity.email)
  const step = decide({ found, identity, ...policyOf(deps, proven) })
  if (step === 'create') return (await create(deps, client, proven)) ?? 'USER_NOT_CREATED'
  if (!found || (step !== 'enter' && step !== 'link')) throw new Failure(step as FailureName)
  if (deps.config.REQUIRE_EMAIL_VERIFICATION && !found.user.emailVerified) return remind(deps, client, found.user)
  const lost = found.account === null ? 'ACCOUNT_LINK_FAILED' : 'SESSION_NOT_CREATED'
  return (await enterAs(deps, client, proven, found)) ?? lost
}

interface Policy {
  readonly isLinking: boolean
  readonly isTrusted: boolean
  readonly mayCreate: boolean
}

const policyOf = ({ config }: Deps, { configured: { provider, registration }, requestSignUp }: Proven): Policy => ({
  isLinking: config.ACCOUNT_LINKING,
  isTrusted: config.TRUSTED_PROVIDERS.includes(provider.id),
  mayCreate: isOpen(registration, requestSignUp),
})

const isOpen = ({ disableSignUp, disableImplicitSignUp }: Registration, requestSignUp: boolean): boolean =>
  !disableSignUp && (!disableImplicitSignUp || requestSignUp)

type Decision = 'enter' | 'link' | 'create' | 'BANNED_USER' | 'ACCOUNT_NOT_LINKED' | 'SIGN_UP_DISABLED'

/**
 * Provider and id together say who it is; an address alone never does. It may lead an unknown identity to a user only where
 * all three vouch for it: a provider that we trust states it, and the user has proven it here. Otherwise whoever signs up
 * first with somebody's address, here or at a provider that verifies none, would share the account with its owner.
 */
function decide({
  found,
  identity,
  isLinking,
  isTrusted,
  mayCreate,
}: Policy & { readonly found: FoundIdentity | null; readonly identity: Pick<Identity, 'emailVerified'> }): Decision {
  if (!found) return mayCreate ? 'create' : 'SIGN_UP_DISABLED'
  const mayLink = isLinking && isTrusted && identity.emailVerified && found.user.emailVerified
  if (found.account === null && !mayLink) return 'ACCOUNT_NOT_LINKED'
  if (found.isBanned) return 'BANNED_USER'
  return found.account === null ? 'link' : 'enter'
}

/** Null when somebody changed something meanwhile. */
async function enterAs(deps: Deps, client: Client, proven: Proven, found: FoundIdentity): Promise<Entered | null> {
  const { configured, identity, tokensOf } = proven
  const { user, account } = found
  const [session, issued] = prepareSession(deps, client)
  const key = { providerId: configured.provider.id, accountId: identity.id }
  const entrance = {
    key,
    tokens: tokensOf(account ?? uuid()),
    session,
    limit: deps.config.SESSION_LIMIT,
    claim: proven.claim ?? null,
    use: proven.use ?? null,
    userId: user.id,
    // Who only says who approves another machine's sign-in is signed in there, later.
    event: proven.claim ? null : client.event('sign-in-done', { userId: user.id }),
  }
  const ended =
    account === null
      ? await enterNewly(deps, client, entrance, { proven, user })
      : await enterAgain(deps, client, entrance, { proven, user })
  if (!ended) return null
  deps.revocations.add(ended)
  if (entrance.event) client.note(entrance.event)
  return { user, issued, isNew: false }
}

interface Whom {
  readonly proven: Proven
  readonly user: User
}
type Entrance = Omit<KnownEntrance, 'keepsTokens' | 'override'>

async function enterNewly(deps: Deps, client: Client, entrance: Entrance, { proven, user }: Whom) {
  const { configured, identity } = proven
  const mayLink = sameProvenAddress(identity, user)
  if (!mayLink) return null
  const linkEvent = client.event('account-linked', { userId: user.id, provider: configured.provider.id })
  const notice = linkNotice(deps, user.email, configured)
  const entry = await enterLinked(deps.sql, { ...entrance, mayLink, email: identity.email, notice, linkEvent })
  if (!entry) return null
  deps.outbox.nudge()
  client.note(linkEvent)
  return entry.ended
}

async function enterAgain(deps: Deps, client: Client, entrance: Entrance, { proven, user }: Whom) {
  const override = overrideOf(deps, client, proven, user)
  const keepsTokens = deps.config.UPDATE_ACCOUNT_ON_SIGN_IN
  const entry = await enterKnown(deps.sql, { ...entrance, keepsTokens, override })
  if (!entry) return null
  if (entry.isMoved && override?.move) {
    deps.outbox.nudge()
    client.note(override.move.event)
  }
  return entry.ended
}

/** Whoever links an account to somebody else's user is told on: the owner gets a mail. */
export const linkNotice = (deps: Deps, to: string, { provider }: ConfiguredProvider): Notice =>
  alertOf(deps, { kind: 'account-linked', to, provider: provider.name })

/** Null when somebody else took the address or the identity meanwhile. */
async function create(deps: Deps, client: Client, proven: Proven): Promise<Entered | null> {
  const { configured, identity, tokensOf, claim = null } = proven
  const { email, emailVerified, image } = identity
  const isHeldBack = deps.config.REQUIRE_EMAIL_VERIFICATION && !emailVerified
  const [session, issued] = prepareSession(deps, client)
  const id = uuid()
  const event = client.event('sign-up-done', { userId: id })
  const created = await createProviderUser(deps.sql, {
    event,
    user: { id, email, name: identity.name || email, image, emailVerified },
    roles: [deps.config.DEFAULT_ROLE],
    key: { providerId: configured.provider.id, accountId: identity.id },
    tokens: tokensOf(uuid()),
    session: isHeldBack ? null : session,
    claim,
    use: proven.use ?? null,
    link: welcomeLink(deps, client, identity),
  })
  if (!created) return null
  deps.revocations.add(created.ended)
  logWithheld(deps, 'verify-email', created.withheldBy)
  deps.outbox.nudge()
  client.note(event)
  if (isHeldBack) throw new Failure('EMAIL_NOT_VERIFIED')
  return { user: created.user, issued, isNew: true }
}

const welcomeLink = (deps: Deps, client: Client, { email, emailVerified }: Proven['identity']) =>
  !emailVerified && deps.config.VERIFICATION_EMAIL && deps.config.SEND_VERIFICATION_ON_SIGN_UP
    ? verificationLink(deps, signUpMailLimits(deps, client, email), email)
    : null

/** Where addresses have to be verified first, whoever proved to be the user gets another mail, and no session. */
async function remind(deps: Deps, client: Client, { id, email }: User): Promise<never> {
  const link = verificationLink(deps, ownMailLimits(deps, client, email), email)
  logWithheld(deps, link.mail.kind, await storeLink(deps.sql, id, link))
  deps.outbox.nudge()
  throw new Failure('EMAIL_NOT_VERIFIED')
}
