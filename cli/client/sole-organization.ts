import type { FailureCode } from '../../shared/failure.ts'
import { onlyOne } from '../flows/org/organizations.ts'
import { callGroups } from './calls.ts'
import { createClient } from './client.ts'
import type { ApiAnswer, ApiRequest, Connection, SendRequest } from './connection.ts'

/** How the service says that none is active; a person who asks for the active one gets null. */
const noneActive: ReadonlySet<unknown> = new Set<FailureCode>([
  'NO_ACTIVE_ORGANIZATION',
  'ORGANIZATION_ID_IS_REQUIRED',
  'ORGANIZATION_NOT_FOUND',
])

/**
 * Who is in one organization alone means that one where none is named or active. What the service refused for want of one,
 * and so did not do, is asked again with it: nothing costs more where one is active.
 */
export function inSoleOrganization(connection: Connection): Connection {
  let sole: Promise<string | undefined> | undefined
  const send: SendRequest = async (request) => {
    const answer = await connection.send(request)
    if (!isForWantOfOne(request, answer)) return answer
    sole ??= soleOrganizationId(connection)
    const organizationId = await sole
    return organizationId === undefined ? answer : connection.send(withOrganization(request, organizationId))
  }
  return { ...connection, api: createClient(callGroups, send) }
}

/** Undefined where they are in none, or in several. */
export async function soleOrganizationId({ api }: Pick<Connection, 'api'>): Promise<string | undefined> {
  return onlyOne(await api.organization.list())?.id
}

function isForWantOfOne({ path, query, body }: ApiRequest, answer: ApiAnswer): boolean {
  if (Object(query).organizationId ?? Object(body).organizationId) return false
  if (answer.status === 200)
    return path === '/organization/get-full-organization' && answer.body === null && !Object(query).organizationSlug
  return answer.status < 500 && noneActive.has(Object(answer.body).code)
}

const withOrganization = (request: ApiRequest, organizationId: string): ApiRequest =>
  request.method === 'GET'
    ? { ...request, query: { ...request.query, organizationId } }
    : { ...request, body: { ...Object(request.body), organizationId } }
