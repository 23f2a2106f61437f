import type { SeenRequest } from '../connect.ts'
import { flag, organizationCommands } from './organizations/equivalents.ts'

/** Words as one line that a POSIX shell reads back as the same words. */
export const commandLine = (...words: readonly string[]): string => words.map(quote).join(' ')

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

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

const byPath: Readonly<Record<string, (body: Readonly<Record<string, string>>) => readonly string[]>> = {
  '/get-session': () => ['whoami'],
  '/list-sessions': () => ['session', 'list'],
  '/revoke-session': () => ['session', 'revoke', 'ID'],
  '/revoke-sessions': () => ['session', 'revoke', '--all'],
  '/revoke-other-sessions': () => ['session', 'revoke', '--others'],
  '/sign-in/email': ({ email }) => ['sign-in', ...flag('email', email)],
  '/sign-up/email': ({ email, name }) => ['sign-up', ...flag('email', email), ...flag('name', name)],
  '/sign-out': () => ['sign-out'],
  '/send-verification-email': ({ email }) => ['account', 'email', 'verify', '--send', ...flag('email', email)],
  '/verify-email': () => ['account', 'email', 'verify', 'LINK'],
  '/change-email': ({ newEmail }) => ['account', 'email', 'set', newEmail ?? 'NEW'],
  '/forget-password': ({ email }) => ['account', 'password', 'forgot', ...flag('email', email)],
  '/reset-password': () => ['account', 'password', 'reset', 'LINK'],
  '/change-password': ({ revokeOtherSessions }) => [
    'account',
    'password',
    'set',
    ...(revokeOtherSessions === 'true' ? ['--revoke-others'] : []),
  ],
  '/delete-user': () => ['account', 'delete'],
  '/update-user': ({ name, image }) => ['account', 'edit', ...flag('name', name), ...flag('image', image)],
  ...organizationCommands,
}

/** The `postern …` command that asks the service the same. */
export function equivalentCommand({ method, path, body }: SeenRequest): string {
  const words = Object.hasOwn(byPath, path) ? byPath[path]?.(shownBody(body)) : undefined
  return commandLine('postern', ...(words ?? ['api', path, '-X', method]))
}

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
