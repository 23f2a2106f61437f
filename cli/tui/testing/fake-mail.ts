import type { ApiAnswer, ApiRequest } from '../../client/client.ts'
import { good, refuse } from './answers.ts'
import type { FakeMail, FakeSession, FakeWorld } from './fake-world.ts'

const paths = {
  verify: 'verify-email',
  change: 'verify-email',
  reset: 'reset-password',
  delete: 'delete-user/callback',
}

/** Writes a mail with a link as the real service makes them: a JWT to verify, a random text otherwise. */
export function mailTo(service: FakeWorld, kind: FakeMail['kind'], to: string, newEmail?: string): void {
  const opaque = `token0of0mail0number0${service.mails.length + 1000}`
  const token = kind === 'verify' || kind === 'change' ? jwtOf({ email: to, updateTo: newEmail, jti: opaque }) : opaque
  const rest = kind === 'reset' ? `/${token}?callbackURL=x` : `?token=${token}&callbackURL=x`
  service.mails.push({ kind, to, newEmail, token, url: `${service.origin}/api/auth/${paths[kind]}${rest}` })
}

const jwtOf = (claims: object): string =>
  ['{"alg":"HS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')

type Body = Readonly<Record<string, string>>

/** The calls around mailed links and passwords; undefined for any other. */
export function answerMailed(
  service: FakeWorld,
  { path, body, query }: ApiRequest,
  session: FakeSession | undefined,
): ApiAnswer | undefined {
  const given = Object(body) as Body
  switch (path) {
    case '/send-verification-email':
      return mailed(service, 'verify', given)
    case '/forget-password':
      return mailed(service, 'reset', given)
    case '/verify-email':
      return verify(service, query?.['token'] ?? '', session)
    case '/reset-password':
      return reset(service, given)
  }
  return session && answerOwn(service, path, given, session)
}

function answerOwn(service: FakeWorld, path: string, given: Body, session: FakeSession): ApiAnswer | undefined {
  switch (path) {
    case '/change-email':
      return changeEmail(service, given['newEmail'] ?? '', session)
    case '/change-password':
      return changePassword(service, given, session)
    case '/delete-user':
      return destroy(service, given, session)
    default:
      return undefined
  }
}

function mailed(service: FakeWorld, kind: 'verify' | 'reset', { email = '' }: Body): ApiAnswer {
  if (service.people.has(email)) mailTo(service, kind, email)
  return good({ status: true })
}

function verify(service: FakeWorld, token: string, session: FakeSession | undefined): ApiAnswer {
  const mail = service.mails.find((one) => one.token === token)
  const person = service.people.get(mail?.to ?? '')
  if (!mail || !person) return refuse(401, 'INVALID_TOKEN', 'invalid_token')
  if (mail.newEmail === undefined) {
    person.isVerified = true
    return good({ status: true, user: null })
  }
  if (session?.email !== mail.to) return refuse(401, 'UNAUTHORIZED', 'unauthorized')
  move(service, mail.to, mail.newEmail)
  return good({ status: true, user: service.user(mail.newEmail) })
}

function move(service: FakeWorld, from: string, to: string): void {
  const person = service.people.get(from)
  if (person) service.people.set(to, { ...person, isVerified: false })
  service.people.delete(from)
  service.sessions = service.sessions.map((row) => (row.email === from ? { ...row, email: to } : row))
  mailTo(service, 'verify', to)
}

function reset(service: FakeWorld, { token, newPassword = '' }: Body): ApiAnswer {
  const mail = service.mails.find((one) => one.token === token)
  const person = service.people.get(mail?.to ?? '')
  if (!mail || !person) return refuse(400, 'INVALID_TOKEN', 'invalid token')
  person.password = newPassword
  service.sessions = service.sessions.filter(({ email }) => email !== mail.to)
  return good({ status: true })
}

function changeEmail(service: FakeWorld, newEmail: string, { email }: FakeSession): ApiAnswer {
  if (service.people.has(newEmail)) return refuse(400, 'COULDNT_UPDATE_YOUR_EMAIL', "Couldn't update your email")
  if (service.people.get(email)?.isVerified) mailTo(service, 'change', email, newEmail)
  else move(service, email, newEmail)
  return good({ status: true })
}

function changePassword(service: FakeWorld, given: Body, { id, email }: FakeSession): ApiAnswer {
  const person = service.people.get(email)
  if (!person || person.password !== given['currentPassword'])
    return refuse(400, 'INVALID_PASSWORD', 'Invalid password')
  person.password = given['newPassword'] ?? ''
  if (given['revokeOtherSessions'])
    service.sessions = service.sessions.filter((row) => row.id === id || row.email !== email)
  return good({ token: null, user: service.user(email) })
}

function destroy(service: FakeWorld, { token, password }: Body, { email }: FakeSession): ApiAnswer {
  if (service.deletesNobody) return { status: 404, headers: {}, body: null }
  if (password && service.people.get(email)?.password !== password) {
    return refuse(400, 'INVALID_PASSWORD', 'Invalid password')
  }
  if (token && !service.mails.some((mail) => mail.token === token && mail.to === email)) {
    return refuse(404, 'INVALID_TOKEN', 'invalid token')
  }
  if (!token && service.deletesByMail) {
    mailTo(service, 'delete', email)
    return good({ success: true, message: 'Verification email sent' })
  }
  return good({ success: true, message: 'User deleted', ...removeWith(service, email) })
}

/** Removes a person, with the organizations in which nobody else is. */
function removeWith(service: FakeWorld, email: string): object {
  service.people.delete(email)
  service.sessions = service.sessions.filter((row) => row.email !== email)
  const along = service.organizations.filter(({ members }) => members.every((member) => member.email === email))
  for (const one of along) service.organizations.splice(service.organizations.indexOf(one), 1)
  const organizations = along.map(({ id, name, slug }) => ({ id, name, slug }))
  return along.length > 0 ? { organizations } : {}
}
