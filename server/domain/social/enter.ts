import { v7 as uuid } from 'uuid'
import type { User } from '../../../shared/entities.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { type FoundIdentity, findIdentity } from '../../db/identities.ts'
import { enterKnown, enterLinked, type KnownEntrance } from '../../db/identity-sign-in.ts'
import type { Notice } from '../../db/links.ts'
import type { SealedTokens } from '../../db/provider-accounts.ts'
import { createProviderUser } from '../../db/provider-users.ts'
import { isUsedBefore, type Use } from '../../db/states.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Identity } from '../../providers/identity.ts'
import type { ConfiguredProvider, Registration } from '../../providers/provider.ts'
import { type Act, withdraw } from '../../request/audit-event.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'
import { ownsAddressOf } from '../../request/way-in.ts'
import { recordRefusal } from '../audit/record.ts'
import { logWithheld, signUpMailLimits } from '../mail-limits.ts'
import { alertOf, verificationLink } from '../mailed-link.ts'
import { prepareSession } from '../session/start.ts'
import { holdBack, remind, tellOwner } from './hold-back.ts'
import { overrideOf } from './override.ts'
import { addressOf, arrivalOf, isArrival } from './owner-arrival.ts'

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
  const address = addressOf(deps, proven)
  const step = decide({ found, address, ...policyOf(deps, proven) })
  if (step === 'create') return (await create(deps, client, proven)) ?? 'USER_NOT_CREATED'
  if (step === 'tell-owner') return tellOwner(deps, client, proven)
  if (!found || (step !== 'enter' && step !== 'link')) throw new Failure(step as FailureName)
  if (isUnverified(deps, found, address)) return remind(deps, client, proven, found)
  return (
    (await enterAs(deps, client, proven, found)) ?? (step === 'link' ? 'ACCOUNT_LINK_FAILED' : 'SESSION_NOT_CREATED')
  )
}

const isUnverified = ({ config }: Deps, { user }: FoundIdentity, address: ProvenAddress | null): boolean =>
  config.REQUIRE_EMAIL_VERIFICATION && !user.emailVerified && address?.email !== user.email

interface Policy {
  readonly isLinking: boolean
  /** Addresses have to be verified here: nobody learns which ones are taken. */
  readonly isStrict: boolean
  readonly mayCreate: boolean
}

const policyOf = ({ config }: Deps, { configured: { registration }, requestSignUp }: Proven): Policy => ({
  isLinking: config.ACCOUNT_LINKING,
  isStrict: config.REQUIRE_EMAIL_VERIFICATION,
  mayCreate: isOpen(registration, requestSignUp),
})

const isOpen = ({ disableSignUp, disableImplicitSignUp }: Registration, requestSignUp: boolean): boolean =>
  !disableSignUp && (!disableImplicitSignUp || requestSignUp)

type Decision = 'enter' | 'link' | 'create' | 'tell-owner' | 'BANNED_USER' | 'ACCOUNT_NOT_LINKED' | 'SIGN_UP_DISABLED'

interface Facts extends Policy {
  readonly found: FoundIdentity | null
  readonly address: ProvenAddress | null
}

/**
 * Provider and id together say who it is; an address alone never does. It leads an unknown identity to a user only where it
 * is proven: then its owner has come, and what others began with the address without proving it ends.
 */
function decide({ found, address, isLinking, isStrict, mayCreate }: Facts): Decision {
  if (!found) return mayCreate ? 'create' : 'SIGN_UP_DISABLED'
  const isKnown = found.account !== null
  if (!isKnown && !(isLinking && address)) return refusalOfTaken({ isStrict, mayCreate })
  if (found.isBanned) return 'BANNED_USER'
  return isKnown ? 'enter' : 'link'
}

/** Where addresses have to be verified: as for an address that nobody has. */
function refusalOfTaken({ isStrict, mayCreate }: Pick<Policy, 'isStrict' | 'mayCreate'>): Decision {
  if (!isStrict) return 'ACCOUNT_NOT_LINKED'
  return mayCreate ? 'tell-owner' : 'SIGN_UP_DISABLED'
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
  }
  const enterHere = account === null ? enterNewly : enterAgain
  const ended = await tellWhenKept((act) => enterHere(deps, [client, act], entrance, { proven, found }))
  if (!ended) return null
  deps.revocations.add(ended)
  return { user, issued, isNew: false }
}

interface Whom {
  readonly proven: Proven
  readonly found: FoundIdentity
}
type Entrance = Omit<KnownEntrance, 'keepsTokens' | 'override' | 'arrival' | 'event'>

type Acting = readonly [Client, Act]

/** Who only says who approves another machine's sign-in is signed in there, later. */
const signInOf = ([client, act]: Acting, { proven, found }: Whom) =>
  proven.claim ? null : client.event(act, 'sign-in-done', { userId: found.user.id })

async function enterNewly(deps: Deps, acting: Acting, entrance: Entrance, whom: Whom) {
  const [{ proven, found }, [client, act]] = [whom, acting]
  const { configured } = proven
  const address = addressOf(deps, proven)
  const mayLink = address && ownsAddressOf(address, found.user)
  if (!mayLink) return null
  const { id, email } = found.user
  const linkEvent = client.event(act, 'account-linked', { userId: id, provider: configured.provider.id })
  const notice = linkNotice(deps, email, configured)
  const arrival = arrivalOf(deps, acting, address, found)
  const entry = await enterLinked(deps.sql, {
    ...entrance,
    mayLink,
    arrival,
    notice,
    linkEvent,
    event: signInOf(acting, whom),
  })
  if (!entry) return null
  deps.outbox.nudge()
  return entry.ended
}

async function enterAgain(deps: Deps, acting: Acting, entrance: Entrance, whom: Whom) {
  const { proven, found } = whom
  const override = overrideOf(deps, acting, proven, found)
  const address = addressOf(deps, proven)
  const arrival = address && isArrival(address, found, override) ? arrivalOf(deps, acting, address, found) : null
  const keepsTokens = deps.config.UPDATE_ACCOUNT_ON_SIGN_IN
  const entry = await enterKnown(deps.sql, {
    ...entrance,
    keepsTokens,
    override,
    arrival,
    event: signInOf(acting, whom),
  })
  if (!entry) return null
  if (override?.move && !entry.isMoved) withdraw(override.move.event)
  if (entry.isMoved || (arrival && found.unproven.length > 0)) deps.outbox.nudge()
  return entry.ended
}

/** Whoever links an account to somebody else's user is told on: the owner gets a mail. */
export const linkNotice = (deps: Deps, to: string, { provider }: ConfiguredProvider): Notice =>
  alertOf(deps, { kind: 'account-linked', to, provider: provider.name })

/** Null when somebody else took the address or the identity meanwhile. */
async function create(deps: Deps, client: Client, proven: Proven): Promise<Entered | null> {
  const { configured, identity, tokensOf, claim = null } = proven
  const { email, image } = identity
  const provenAddress = addressOf(deps, proven)
  const isHeldBack = deps.config.REQUIRE_EMAIL_VERIFICATION && !provenAddress
  const tokens = tokensOf(uuid())
  const [session, issued] = prepareSession(deps, client)
  const id = uuid()
  const made = {
    user: { id, email, name: identity.name || email, image },
    provenAddress,
    roles: [deps.config.DEFAULT_ROLE],
    key: { providerId: configured.provider.id, accountId: identity.id },
    tokens,
    session: isHeldBack ? null : session,
    claim,
    use: proven.use ?? null,
    link: provenAddress ? null : welcomeLink(deps, client, email),
  }
  const created = await tellWhenKept((act) =>
    createProviderUser(deps.sql, { ...made, event: client.event(act, 'sign-up-done', { userId: id }) }),
  )
  if (!created) return null
  deps.revocations.add(created.ended)
  logWithheld(deps, 'verify-email', created.withheldBy)
  deps.outbox.nudge()
  if (isHeldBack) return holdBack(client, tokens.id)
  return { user: created.user, issued, isNew: true }
}

const welcomeLink = (deps: Deps, client: Client, email: string) =>
  deps.config.VERIFICATION_EMAIL && deps.config.SEND_VERIFICATION_ON_SIGN_UP
    ? verificationLink(deps, signUpMailLimits(deps, client, email), email)
    : null
