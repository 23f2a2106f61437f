import type { ListedOrganization, Organization, OrganizationName } from '../../../shared/organization.ts'

type Named = Pick<Organization, 'name' | 'slug'>

/** `Acme (acme)` */
export const organizationTitle = ({ name, slug }: Named): string => `${name} (${slug})`

/** Those of the signed-in user in which nobody else is: they go along with the account. */
export const soleMemberOrganizations = (organizations: readonly ListedOrganization[]): readonly OrganizationName[] =>
  organizations.flatMap(({ soleMember, id, name, slug }) => (soleMember ? [{ id, name, slug }] : []))

/** What is said before an account is deleted; undefined where nothing goes along. */
export function soleMemberNote(organizations: readonly Named[]): string | undefined {
  if (organizations.length === 0) return undefined
  const they = organizations.length > 1 ? 'they are' : 'it is'
  return `Nobody else is in ${titlesOf(organizations)}: ${they} deleted along with the account`
}

/** What is said after it. */
export const deletedSentence = (email: string, organizations: readonly Named[] = []): string =>
  organizations.length > 0 ? `Deleted ${email}, and with it ${titlesOf(organizations)}` : `Deleted ${email}`

function titlesOf(organizations: readonly Named[]): string {
  const titles = organizations.map(organizationTitle)
  const last = titles.slice(-1).join('')
  return titles.length > 1 ? `${titles.slice(0, -1).join(', ')} and ${last}` : last
}
