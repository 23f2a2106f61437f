import { exitCodes } from '../../../shared/exit-codes.ts'
import type { ListedOrganization, Organization, OrganizationName } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { hintOf } from '../../output/hints.ts'
import { andText } from '../../output/words.ts'
import { isId, type Naming, pickOne } from '../candidates.ts'
import { flag, type Subject } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { ownFieldsField } from '../own-fields.ts'
import type { FieldsOf } from '../resource-fields.ts'

type Calls = Pick<FlowConnection, 'api'>

export const organizationFields = {
  id: { title: 'ID', type: 'text' },
  name: { title: 'Name', type: 'text' },
  slug: { title: 'Slug', type: 'text' },
  logo: { title: 'Logo', type: 'text?' },
  metadata: { title: 'Metadata', type: 'any', value: ({ metadata }) => metadata && JSON.stringify(metadata) },
  createdAt: { title: 'Created', type: 'date' },
  fields: ownFieldsField,
} as const satisfies FieldsOf<Organization, Organization>

const naming: Naming<Organization> = {
  kind: 'organization',
  ids: ({ id }) => [id],
  ways: [({ slug }, word) => slug === word.toLowerCase(), ({ name }, word) => name === word],
  describe: ({ id, slug, name }) => `${id}  ${slug}  ${name}`,
  list: 'See yours: postern org list',
}

/** Only the fields of an organization, whatever else the answer contains. */
export const toOrganization = ({ id, name, slug, logo, metadata, createdAt, fields }: Organization): Organization => ({
  id,
  name,
  slug,
  logo,
  metadata,
  createdAt,
  fields,
})

/** Finds one of the signed-in user's organizations, by id, slug or unique name. */
const findOrganization = async ({ api }: Calls, word: string): Promise<Organization> =>
  toOrganization(pickOne(await api.organization.list(), word, naming))

/** The named organization, else the active one, else the only one; exit 6 if there is none. */
export async function chooseOrganization(connection: Calls, named: string | undefined): Promise<Organization> {
  if (named !== undefined) return findOrganization(connection, named)
  const active = await connection.api.organization.getFullOrganization({})
  const meant = active ?? onlyOne(await connection.api.organization.list())
  if (meant) return toOrganization(meant)
  throw noActiveOrganizationError()
}

export const organizationSlugs = async (context: FlowContext): Promise<readonly string[]> =>
  (await ownOrganizations(await context.signedIn())).map(({ slug }) => slug)

export const organizationSubject: Subject<Organization> = {
  argument: '<org>',
  summary: 'id, slug or name',
  key: 'organizationId',
  finder: async (context) => {
    const mine = await ownOrganizations(await context.signedIn())
    return (word = '') => pickOne(mine, word, naming)
  },
  words: ({ slug }) => ({ word: slug }),
  complete: organizationSlugs,
}

/** The named organization, else the one of the run. */
export const chosenOrganization: Subject<Organization> = {
  argument: '[org]',
  summary: 'id, slug or name; default: that of --org',
  key: 'organizationId',
  finder: async (context, _, words) => {
    const connection = await context.signedIn()
    const named = words[0] ?? context.organization
    // The active organization matters only if none is named.
    const [mine, view] = await Promise.all([
      ownOrganizations(connection),
      named === undefined ? context.session() : undefined,
    ])
    return (word = named) => {
      if (word !== undefined) return pickOne(mine, word, naming)
      const active = mine.find(({ id }) => id === view?.session.activeOrganizationId)
      const meant = active ?? onlyOne(mine)
      if (meant) return meant
      throw noActiveOrganizationError()
    }
  },
  words: ({ slug }) => ({ word: slug }),
  complete: organizationSlugs,
}

/** A user with a single organization means that one. */
export const onlyOne = <T>([first, ...others]: readonly T[]): T | undefined => (others.length === 0 ? first : undefined)

const ownOrganizations = async ({ api }: Calls): Promise<readonly Organization[]> =>
  (await api.organization.list()).map(toOrganization)

/** The service's own error, for calls that answer with nothing instead. */
export function noActiveOrganizationError(): CliError {
  const code = 'NO_ACTIVE_ORGANIZATION'
  return new CliError(exitCodes.notFound, 'No active organization', { code, hint: hintOf(exitCodes.notFound, code) })
}

/** The id of the named organization. */
export async function organizationIdOf(connection: Calls, named: string | undefined): Promise<string | undefined> {
  if (named === undefined || isId(named)) return named
  return (await findOrganization(connection, named)).id
}

/**
 * The id of the organization that the run works in. Undefined leaves the choice to the service, which uses the active
 * one.
 */
export const workingOrganizationId = async (context: FlowContext): Promise<string | undefined> =>
  context.kept ? chosenOrganizationId(context) : organizationIdOf(await context.signedIn(), context.organization)

/**
 * The organization of the run, else the active one, else the only one: for calls that mean something else without an
 * organization.
 */
export async function chosenOrganizationId(context: FlowContext): Promise<string | undefined> {
  const { kept = {} } = context
  kept.organizationId ??= chooseOrganizationId(context)
  return kept.organizationId
}

async function chooseOrganizationId(context: FlowContext): Promise<string | undefined> {
  const { api } = await context.signedIn()
  if (context.organization !== undefined) return organizationIdOf({ api }, context.organization)
  // Not from a cookie: another process may have chosen another one.
  const { activeOrganizationId } = (await context.session({ disableCookieCache: 'true' })).session
  return activeOrganizationId ?? onlyOne(await api.organization.list())?.id
}

/** The same; exit 6 if there is none. */
export async function requireOrganizationId(context: FlowContext): Promise<string> {
  const organizationId = await chosenOrganizationId(context)
  if (organizationId === undefined) throw noActiveOrganizationError()
  return organizationId
}

type OrganizationLabel = Pick<Organization, 'name' | 'slug'>

/** `Acme (acme)` */
export const organizationTitle = ({ name, slug }: OrganizationLabel): string => `${name} (${slug})`

/** The organizations whose only member is the signed-in user: they are deleted with the account. */
export const soleMemberOrganizations = (organizations: readonly ListedOrganization[]): readonly OrganizationName[] =>
  organizations.flatMap(({ soleMember, id, name, slug }) => (soleMember ? [{ id, name, slug }] : []))

/** The note before an account is deleted; undefined if no organization is deleted with it. */
export function soleMemberNote(organizations: readonly OrganizationLabel[]): string | undefined {
  if (organizations.length === 0) return undefined
  const they = organizations.length > 1 ? 'they are' : 'it is'
  return `Nobody else is in ${titlesOf(organizations)}: ${they} deleted along with the account`
}

/** The sentence after the deletion. */
export const deletedSentence = (email: string, organizations: readonly OrganizationLabel[] = []): string =>
  organizations.length > 0 ? `Deleted ${email}, and with it ${titlesOf(organizations)}` : `Deleted ${email}`

const titlesOf = (organizations: readonly OrganizationLabel[]): string => andText(organizations.map(organizationTitle))

/** The organization in which something is created. */
export interface OrganizationScope {
  /** Undefined: the service uses the active one. */
  readonly organizationId: string | undefined
  /** How `--org` names it in a command. */
  readonly org?: string | undefined
}

/** The organization named by `--org`, else the active one. */
export const inOrganization: Subject<OrganizationScope> = {
  finder: async (context) => {
    const organizationId = await workingOrganizationId(context)
    return () => ({ organizationId, org: context.organization })
  },
  words: ({ org }) => ({ flags: flag('org', org) }),
}

/** The same, else the only one, where a call without an organization is about the signed-in user. */
export const inChosenOrganization: Subject<OrganizationScope> = {
  ...inOrganization,
  finder: async (context) => {
    const organizationId = await requireOrganizationId(context)
    return () => ({ organizationId, org: context.organization })
  },
}
