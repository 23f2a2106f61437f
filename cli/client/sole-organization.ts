import type { FailureCode } from '../../shared/failure.ts'
import { onlyOne } from '../flows/org/organizations.ts'
import { createClient } from './client.ts'
import type { ApiAnswer, ApiRequest, Connection, SendRequest } from './connection.ts'

/** Codes for a missing active organization. A request for the active organization answers null instead. */
const noActiveCodes: ReadonlySet<unknown> = new Set<FailureCode>([
  'NO_ACTIVE_ORGANIZATION',
  'ORGANIZATION_ID_IS_REQUIRED',
  'ORGANIZATION_NOT_FOUND',
  'YOU_MUST_BE_IN_AN_ORGANIZATION_TO_CREATE_A_ROLE',
])

/**
 * Uses the user's only organization when none is named or active. A call that was refused for want of an organization
 * has changed nothing, so it is repeated with that one. With an active organization there is no additional request.
 */
export function withSoleOrganization(connection: Connection): Connection {
  let sole: Promise<string | undefined> | undefined
  const send: SendRequest = async (request) => {
    const answer = await connection.send(request)
    if (!lacksOrganization(request, answer)) return answer
    sole ??= soleOrganizationId(connection)
    const organizationId = await sole
    return organizationId === undefined ? answer : connection.send(withOrganization(request, organizationId))
  }
  return { ...connection, api: createClient(send, connection.onChange) }
}

/** Undefined when the user belongs to none or to several. */
async function soleOrganizationId({ api }: Pick<Connection, 'api'>): Promise<string | undefined> {
  return onlyOne(await api.organization.list())?.id
}

function lacksOrganization({ path, query, body }: ApiRequest, answer: ApiAnswer): boolean {
  if (Object(query).organizationId ?? Object(body).organizationId) return false
  if (answer.status === 200)
    return path === '/organization/get-full-organization' && answer.body === null && !Object(query).organizationSlug
  return answer.status < 500 && noActiveCodes.has(Object(answer.body).code)
}

const withOrganization = (request: ApiRequest, organizationId: string): ApiRequest =>
  request.method === 'GET'
    ? { ...request, query: { ...request.query, organizationId } }
    : { ...request, body: { ...Object(request.body), organizationId } }
