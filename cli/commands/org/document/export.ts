import type { Context } from '../../../context.ts'
import { chooseOrganization } from '../../../flows/org/organizations.ts'
import { unsafeCharacters } from '../../../output/escape-controls.ts'
import { type CurrentOrganization, type CurrentPerson, compareByEmail, compareText, readCurrent } from './current.ts'
import type { DocumentPerson, OrganizationDocument } from './schema.ts'
import { Document, isScalar, visit } from './yaml.ts'

/** `org export` without its arguments: the YAML library is loaded only when the command runs. */
export async function exportDocument(context: Context, word: string | undefined): Promise<void> {
  const connection = await context.connectSignedIn()
  const { id } = await chooseOrganization(connection, word ?? context.settings.organization.value)
  const { current } = await readCurrent(connection, id, context.host.now())
  const document = documentOf(current)
  context.out.text(yamlOf(document), document)
}

/** An organization as a document, always in the same order. Pending invitations to members are left out. */
export function documentOf({ organization, teams, members, invitations }: CurrentOrganization): OrganizationDocument {
  const { name, slug, logo, metadata } = organization
  const emails = new Set(members.map(({ email }) => email))
  return {
    organization: { name, slug, logo, metadata: metadata as OrganizationDocument['organization']['metadata'] },
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
  ...(team !== null && { team }),
})

/** The document as YAML that is safe to print: characters that a terminal would act on or hide are escaped. */
function yamlOf(document: OrganizationDocument): string {
  const yaml = new Document(document, { aliasDuplicateObjects: false })
  visit(yaml, (_, node) => {
    // YAML has escapes only in double quotes.
    if (isScalar(node) && typeof node.value === 'string' && node.value.search(unsafeCharacters) >= 0)
      node.type = 'QUOTE_DOUBLE'
  })
  return yaml.toString({ lineWidth: 0 }).replaceAll(unsafeCharacters, escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
