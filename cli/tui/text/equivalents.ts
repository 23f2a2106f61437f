import type { SeenRequest } from '../../client/connect.ts'
import { allFlows } from '../../flows/all.ts'
import { commandLine } from '../../flows/command-line.ts'
import { commandForRequest } from '../../flows/request-command.ts'

/** Keys whose values may be shown; all others are named only. */
const showable = new Set([
  'email',
  'newEmail',
  'name',
  'image',
  'rememberMe',
  'revokeOtherSessions',
  'callbackURL',
  'slug',
  'role',
  'resend',
  'organizationId',
  'memberId',
  'memberIdOrEmail',
  'userId',
  'teamId',
  'invitationId',
])
const hidden = '***'

/** The `postern …` command that asks the service the same. */
export const equivalentCommand = ({ method, path, query, body = query }: SeenRequest): string =>
  commandForRequest({ method, path, body }, allFlows)

/** The request for curl; secrets are left out, the cookies come from a file of the person's own. */
export function equivalentCurl({ method, path, body }: SeenRequest, server: string): string {
  const url = `${server}${path}`
  if (method === 'GET') return commandLine('curl', '-b', 'cookies.txt', url)
  const origin = URL.canParse(server) ? new URL(server).origin : server
  const headers = ['-H', `Origin: ${origin}`, '-H', 'Content-Type: application/json']
  return commandLine('curl', '-b', 'cookies.txt', ...headers, '-d', JSON.stringify(shownBody(body)), url)
}

const shownBody = (body: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(body)).map(([key, value]) => [key, showable.has(key) ? String(value) : hidden]),
  )
