import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Organization } from '../../../shared/organization.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'
import { hintOf } from '../../output/hints.ts'
import { type FieldType, pick } from '../../output/json.ts'
import { Refusal } from '../../refusal.ts'
import { type Naming, pickOne } from '../candidates.ts'

export const organizationFields = {
  id: 'text',
  name: 'text',
  slug: 'text',
  logo: 'text?',
  metadata: 'any',
  createdAt: 'date',
} satisfies Record<keyof Organization, FieldType>

export const organizationColumns: readonly Column<Organization>[] = [
  { header: 'ID', value: ({ id }) => id, isWhole: true },
  { header: 'Slug', value: ({ slug }) => slug },
  { header: 'Name', value: ({ name }) => name },
]

const naming: Naming<Organization> = {
  kind: 'organization',
  ways: [
    ({ id }, word) => id === word,
    ({ slug }, word) => slug === word.toLowerCase(),
    ({ name }, word) => name === word,
  ],
  describe: ({ id, slug, name }) => `${id}  ${slug}  ${name}`,
  list: 'See yours: postern org list',
}

/** The fields of an organization alone, whatever else an answer holds. */
export const plain = (organization: Organization): Organization =>
  pick(organization, Object.keys(organizationFields)) as Organization

/** One of the signed-in user's, by id, slug or unique name. */
export const findOrganization = async ({ api }: Connection, word: string): Promise<Organization> =>
  plain(pickOne(await api.organization.list(), word, naming))

/** The one of this run: the word, else `--org`, POSTERN_ORG or the profile, else the active one; else exit 6. */
export async function chooseOrganization(
  { settings }: Context,
  connection: Connection,
  word: string | undefined = settings.organization.value,
): Promise<Organization> {
  if (word !== undefined) return findOrganization(connection, word)
  const active = await connection.api.organization.getFullOrganization({})
  if (active) return plain(active)
  throw noneActive()
}

/** The service's own refusal, for calls that answer nothing instead. */
export function noneActive(): Refusal {
  const code = 'NO_ACTIVE_ORGANIZATION'
  return new Refusal(exitCodes.notFound, 'No active organization', { code, hint: hintOf(exitCodes.notFound, code) })
}

const isId = (word: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(word)

/** The same as an id for a call; undefined leaves the active one to the service. */
export async function organizationIdOf(
  { settings }: Context,
  connection: Connection,
  word: string | undefined = settings.organization.value,
): Promise<string | undefined> {
  if (word === undefined || isId(word)) return word
  return (await findOrganization(connection, word)).id
}
