import { isMachineAddress } from '../../../shared/email.ts'
import type { SessionView } from '../../../shared/entities.ts'
import type { Connection } from '../../client/connection.ts'
import { userLabel } from '../account/users.ts'
import { ifAllowed } from '../if-answered.ts'

type Api = Connection['api']

/** The identity of calls, for people: `alice@example.com (Alice)`, `machine key deploy of acme`. */
export async function principalOf(api: Api, view: SessionView): Promise<string> {
  const { user } = view
  if (isMachineAddress(user.email)) {
    const slug = await slugOf(api, view)
    return `${isKey(view) ? 'machine key' : 'machine'} ${user.name}${slug === undefined ? '' : ` of ${slug}`}`
  }
  if (!isKey(view)) return userLabel(user)
  const key = await ifAllowed(api.key.viewKey({ keyId: view.session.id }))
  return `machine key ${key ? `${key.name} ` : ''}of ${userLabel(user)}`
}

/** The session of a key has the key's id where others have a token. */
export const isKey = ({ session }: SessionView): boolean => session.token === session.id

async function slugOf(api: Api, { session }: SessionView): Promise<string | undefined> {
  const mine = await ifAllowed(api.organization.list())
  return mine?.find(({ id }) => id === session.activeOrganizationId)?.slug
}
