import { organizationRoles, type Roles } from '../../shared/permissions.ts'
import { verifiedPerson } from './mailed.ts'
import { type TestService, testServiceKey } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

export type Person = Visitor & { readonly email: string }

/** Somebody in an organization, which is active in their session. */
export interface Insider extends Person {
  readonly memberId: string
  readonly userId: string
}

/** An organization and its owner. */
export interface Founded {
  readonly id: string
  readonly slug: string
  /** Its default team; null where there is none. */
  readonly teamId: string | null
  readonly owner: Insider
  /** A new person with this role. */
  readonly join: (role: string, teamId?: string) => Promise<Insider>
  /** Id of a new invitation by the owner. */
  readonly invite: (email: string, role?: string, more?: object) => Promise<string>
}

/** Roles of a config file: `founder` is the one that owns, and the others hold more and less than those that there are. */
export const customRoles: Roles = {
  founder: { ...organizationRoles.owner, billing: ['read', 'pay'] },
  admin: organizationRoles.admin ?? {},
  accountant: { billing: ['read', 'pay'] },
  recruiter: { invitation: ['create'], member: ['update'] },
  clerk: { billing: ['read'] },
  member: {},
}

export const serverHeaders = { authorization: `Bearer ${testServiceKey}` }

/** The body of an answer that has to be a good one. */
export async function done(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, text, body } = await reply
  if (status !== 200) throw new Error(`Answered ${status}: ${text}`)
  return body
}

export const newSlug = (): string => crypto.randomUUID()

/** An organization of somebody new, with a mailbox that is proven. */
export async function found(service: TestService, fields: object = {}): Promise<Founded> {
  const owner = await verifiedPerson(service)
  const slug = newSlug()
  const made = await done(owner.post('/organization/create', { name: 'Acme', slug, ...fields }))
  const [{ id: memberId, userId, teamId = null }] = made.members
  return {
    id: made.id,
    slug: made.slug,
    teamId,
    owner: { ...owner, memberId, userId },
    join: (role, team) => join(service, made.id, role, team),
    invite: async (email, role = 'member', more = {}) => {
      const asked = { email, role, organizationId: made.id, ...more }
      return (await done(owner.post('/organization/invite-member', asked))).id
    },
  }
}

async function join(service: TestService, organizationId: string, role: string, teamId?: string): Promise<Insider> {
  const person = await verifiedPerson(service)
  const { id: memberId, userId } = await admit(service, person.email, { organizationId, role, teamId })
  await done(person.post('/organization/set-active', { organizationId }))
  return { ...person, memberId, userId }
}

/** Makes somebody a member, as a trusted server does. */
export async function admit(service: TestService, email: string, fields: object): Promise<Reply['body']> {
  const [user] = await service.deps.sql<{ id: string }[]>`select id from users where email = ${email}`
  return done(service.visitor().post('/organization/add-member', { userId: user?.id, ...fields }, serverHeaders))
}
