import type { Roles } from '../../shared/permissions.ts'
import { createApp } from '../app.ts'
import { done, type Founded } from './organizations.ts'
import type { TestService } from './service.ts'
import { createVisitor, type Reply, type Visitor } from './visitor.ts'

/** A machine that sends a key, or a session of its own, with every call, and keeps no cookies. */
export function machine(service: TestService, token: string, address?: string): Visitor {
  const visitor = service.visitor(address)
  const authorization = `Bearer ${token}`
  return {
    ...visitor,
    get: (path, headers = {}) => visitor.get(path, { authorization, ...headers }),
    post: (path, body = {}, headers = {}) => visitor.post(path, body, { authorization, ...headers }),
  }
}

/** The session that a key is, as the service tells it; null when it takes the key no more. */
export const whoIs = async (service: TestService, token: string, address?: string) =>
  (await machine(service, token, address).get('/get-session')).body
export const isAlive = async (service: TestService, token: string, address?: string) =>
  (await whoIs(service, token, address)) !== null

export const rotate = (person: Visitor, keyId: string, fields: object = {}) =>
  person.post('/key/rotate', { keyId, ...fields })

export interface MadeKey {
  readonly id: string
  readonly token: string
  readonly userId: string
}

/** A new key of an organization, made by its owner. */
export const organizationKey = (acme: Founded, fields: object = {}): Promise<MadeKey> =>
  done(acme.owner.post('/key/create', { name: 'deploy', organizationId: acme.id, role: 'admin', ...fields }))

/** A new key of a person. */
export const ownKey = (person: Visitor, fields: object = {}): Promise<MadeKey> =>
  done(person.post('/key/create', { name: 'laptop', ...fields }))

/** A member who holds a role of the config file that grants this and nothing else, at a service that knows it. */
export async function holder(service: TestService, acme: Founded, actions: Roles[string]): Promise<Visitor> {
  const person = await acme.join('member')
  await service.deps.sql`update members set roles = '{maker}' where id = ${person.memberId}`
  const config = { ...service.deps.config, roles: { ...service.deps.config.roles, maker: actions } }
  const visitor = createVisitor(createApp({ ...service.deps, config }), config)
  for (const [name, value] of person.cookies) visitor.cookies.set(name, value)
  return visitor
}

/** What a list or a view of keys says. */
export const keyAt = async (person: Visitor, keyId: string): Promise<Reply['body']> =>
  done(person.get(`/key/view?keyId=${keyId}`))
