import { refuseRows } from '../../../argv/output-flag.ts'
import type { Context } from '../../../context.ts'
import { chooseOrganization } from '../../../flows/org/organizations.ts'
import { withoutNulls } from '../../../flows/own-fields.ts'
import { yamlText } from '../../../output/yaml-text.ts'
import {
  type CurrentOrganization,
  type CurrentPerson,
  type CurrentRole,
  compareByEmail,
  compareByName,
  compareText,
  readCurrent,
} from './current.ts'
import type { DocumentPerson, OrganizationDocument } from './schema.ts'

/** `org export` without its arguments: the YAML library is loaded only when the command runs. */
export async function exportDocument(context: Context, word: string | undefined): Promise<void> {
  refuseRows(context.flags)
  const connection = await context.connectSignedIn()
  const { id } = await chooseOrganization(connection, word ?? context.settings.organization.value)
  const { current } = await readCurrent(connection, id, context.host.now())
  const document = documentOf(current)
  context.out.text(yamlText(document), document)
}

type Section = OrganizationDocument['organization']

/** An organization as a document, always in the same order. Pending invitations to members are left out. */
export function documentOf({
  organization,
  roles,
  teams,
  members,
  invitations,
}: CurrentOrganization): OrganizationDocument {
  const { name, slug, logo, metadata } = organization
  const own = withoutNulls(organization.fields)
  const emails = new Set(members.map(({ email }) => email))
  return {
    organization: {
      name,
      slug,
      logo,
      metadata: metadata as Section['metadata'],
      ...(Object.keys(own).length > 0 && { fields: own as Section['fields'] }),
    },
    roles: roles.map(roleOf).toSorted(compareByName),
    ...(teams && { teams: teams.toSorted(compareText).map((team) => ({ name: team })) }),
    members: members.map(entryOf).toSorted(compareByEmail),
    invitations: invitations
      .filter(({ email }) => !emails.has(email))
      .map(entryOf)
      .toSorted(compareByEmail),
  }
}

const entryOf = ({ email, roles, team }: CurrentPerson): DocumentPerson => ({
  email,
  roles: roles.toSorted(compareText),
  ...(team !== null && { team: typeof team === 'string' ? team : [...team] }),
})

const roleOf = ({ name, permissions }: CurrentRole) => ({ name, permissions: permissions.toSorted(compareText) })
