import * as z from 'zod'
import { date, FullUser, roleNames, Session } from './entities.ts'
import { MachineKey } from './machine-key.ts'
import { invitationStatuses } from './organization.ts'
import { ListedMail } from './support.ts'

/** A way to sign in, without its secrets. `accountId`: the id at the provider. */
const Account = z.object({
  id: z.string(),
  providerId: z.string(),
  accountId: z.string(),
  scope: z.string().nullable(),
  provenEmail: z.string().nullable(),
  createdAt: date,
  updatedAt: date,
})

const organization = { organizationId: z.string(), organizationName: z.string() }
const Membership = z.object({ ...organization, role: roleNames, teamIds: z.array(z.string()), createdAt: date })

/** Without its id, which would prove a mailbox. */
const Invited = z.object({
  ...organization,
  email: z.string(),
  role: roleNames,
  status: z.enum(invitationStatuses),
  createdAt: date,
  expiresAt: date,
})

const Made = z.object({ id: z.string(), organizationId: z.string().nullable(), host: z.string(), createdAt: date })
const DeviceRequest = z.object({
  label: z.string().nullable(),
  ipAddress: z.string(),
  userAgent: z.string(),
  createdAt: date,
})

/** Lists that have rows of their own. */
const lists = {
  /** Also those that answers leave out, for administrators. */
  storedFields: z.array(z.object({ name: z.string(), value: z.unknown() })),
  accounts: z.array(Account),
  sessions: z.array(Session.omit({ token: true, addressProven: true, activeOrganizationId: true, activeTeamId: true })),
  memberships: z.array(Membership),
  invitationsTo: z.array(Invited),
  invitationsFrom: z.array(Invited),
  keys: z.array(
    MachineKey.pick({
      id: true,
      name: true,
      scopes: true,
      ipRanges: true,
      createdAt: true,
      expiresAt: true,
      lastUsedAt: true,
      lastUsedIp: true,
    }),
  ),
  /** The machines of organizations for which the person is responsible. */
  machines: z.array(z.object({ id: z.string(), name: z.string(), ...organization, createdAt: date })),
  /** Second factors of another service, kept encrypted since the person moved in. */
  secondFactors: z.array(z.object({ id: z.string(), createdAt: date })),
  mails: z.array(ListedMail),
  webhooks: z.array(Made),
  deviceRequests: z.array(DeviceRequest),
}

/**
 * All that the service keeps of a person, except the audit trail, which has lists of its own. `incomplete` names the
 * lists with more than a thousand rows, whose newest are here.
 */
export const PersonData = z.object({ user: FullUser, ...lists, incomplete: z.array(z.string()).optional() })
export type PersonData = z.output<typeof PersonData>
export type PersonLists = { readonly [L in keyof typeof lists]: PersonData[L] }
