import * as z from 'zod'
import { isEmail } from '../../../../shared/email.ts'
import { logo, slug, title } from '../../../../shared/organization.ts'
import { newRoleName } from '../../../../shared/role.ts'
import { teamList } from './person-teams.ts'

const email = z.string().max(254).refine(isEmail, 'not an e-mail address').meta({
  format: 'email',
  description: 'Compared in lower case',
})

const role = z
  .string()
  .max(100)
  .regex(/^[^\s,](?:[^,]*[^\s,])?$/, 'one role name, without commas')

/** A person who should belong to the organization: already a member, already invited, or to be invited. */
const person = z.strictObject({
  email,
  roles: z.array(role).min(1),
  team: z
    .union([title, z.array(title).min(1)], 'expected a team or a list of teams')
    .optional()
    .meta({ description: 'One of the listed teams, or a list of several; no team when left out' }),
})

const organization = z.strictObject({
  name: title,
  slug: slug.meta({ description: 'Identifies the organization; apply never changes it' }),
  logo: logo.nullable().optional().meta({ description: 'Unchanged when left out' }),
  metadata: z.record(z.string(), z.json()).nullable().optional().meta({ description: 'Unchanged when left out' }),
  fields: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.null()], 'expected a text, a number, true, false or null'),
    )
    .optional()
    .meta({ description: 'Fields that the application added; each is unchanged when left out, null removes it' }),
})

const team = z.strictObject({
  name: title,
  renamedFrom: title.optional().meta({
    description: 'Its former name: a team of that name is renamed and keeps its people; no effect once it is renamed',
  }),
})

const permission = z
  .string()
  .max(200)
  .regex(/^[^\s:]+:[^\s:]+$/, 'RESOURCE:ACTION, like team:create')

/** A role that the organization makes. */
const ownRole = z.strictObject({
  name: newRoleName.meta({ description: 'Compared in lower case; no name of a role of the service' }),
  permissions: z.array(permission).meta({ description: 'What it allows, only what you may do yourself' }),
})

const documentFields = z.strictObject({
  organization,
  roles: z
    .array(ownRole)
    .optional()
    .meta({ description: 'Roles of its own; when left out, this document does not manage them' }),
  teams: z
    .array(team)
    .nullable()
    // An export in JSON has null where the service has no teams.
    .transform((teams) => teams ?? undefined)
    .optional()
    .meta({ description: 'When null or left out, this document does not manage teams' }),
  members: z.array(person).optional(),
  invitations: z.array(person).optional(),
})

const sections: Readonly<Record<string, object>> = {
  organization: organization.shape,
  roles: ownRole.shape,
  teams: team.shape,
  members: person.shape,
  invitations: person.shape,
}

/** The keys that a section knows, or without one the document. */
export const keysIn = (section?: string): readonly string[] =>
  Object.keys(section === undefined ? documentFields.shape : (sections[section] ?? {}))

/** The organization document: `org export` writes it, `org apply` reads it, and `schema org` publishes its schema. */
export const OrganizationDocument = documentFields
  .superRefine((document, context) => {
    for (const { path, message } of conflicts(document)) context.addIssue({ code: 'custom', path, message })
  })
  .meta({ title: 'Postern organization', description: 'postern org apply -f FILE' })

export type OrganizationDocument = z.output<typeof documentFields>
export type DocumentPerson = z.output<typeof person>

interface Conflict {
  readonly path: (string | number)[]
  readonly message: string
}

function conflicts({ roles: own = [], teams, members = [], invitations = [] }: OrganizationDocument): Conflict[] {
  const listed = teams ?? []
  const names = listed.map(({ name }) => name)
  const people = [placed('members', members), placed('invitations', invitations)].flat()
  const twice = repeatedIndexes(people.map(({ person: { email: address } }) => address.toLowerCase()))
  return [
    ...repeatedIndexes(names).map((index) => ({
      path: ['teams', index, 'name'],
      message: 'this team is listed already',
    })),
    ...renameConflicts(listed),
    ...roleConflicts(own),
    ...twice.map((index) => ({ path: pathOf(people, index, 'email'), message: 'this address is listed already' })),
    ...people.flatMap(({ person: { roles }, path }) =>
      repeatedIndexes(roles).map((index) => ({
        path: [...path, 'roles', index],
        message: 'this role is listed already',
      })),
    ),
    ...people
      .filter(({ person: { team } }) => teamList(team).some((name) => !names.includes(name)))
      .map(({ path }) => ({ path: [...path, 'team'], message: 'this team is not listed under teams' })),
  ]
}

function roleConflicts(roles: NonNullable<OrganizationDocument['roles']>): Conflict[] {
  const twice = repeatedIndexes(roles.map(({ name }) => name.toLowerCase()))
  return [
    ...twice.map((index) => ({ path: ['roles', index, 'name'], message: 'this role is listed already' })),
    ...roles.flatMap(({ permissions }, index) =>
      repeatedIndexes(permissions).map((at) => ({
        path: ['roles', index, 'permissions', at],
        message: 'this permission is listed already',
      })),
    ),
  ]
}

/** A former name that is still in use would mean something else each time the document is applied. */
function renameConflicts(teams: NonNullable<OrganizationDocument['teams']>): Conflict[] {
  const names = teams.map(({ name }) => name)
  const former = teams.map(({ renamedFrom }) => renamedFrom)
  return teams.flatMap(({ renamedFrom }, index) => {
    if (renamedFrom === undefined) return []
    const path = ['teams', index, 'renamedFrom']
    if (names.includes(renamedFrom)) return [{ path, message: 'a team of that name is listed too' }]
    return former.indexOf(renamedFrom) < index ? [{ path, message: 'another team is renamed from this one' }] : []
  })
}

const placed = (section: string, people: readonly DocumentPerson[]) =>
  people.map((one, index) => ({ person: one, path: [section, index] }))

const pathOf = (people: ReturnType<typeof placed>, index: number, field: string): (string | number)[] => [
  ...(people[index]?.path ?? []),
  field,
]

/** Indexes of the values that occurred before. */
export function repeatedIndexes(values: readonly string[]): readonly number[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index]
    seen.add(value)
    return []
  })
}
