import * as account from './account.ts'
import * as admin from './admin.ts'
import * as audit from './audit.ts'
import * as clientKey from './client-key.ts'
import * as device from './device.ts'
import * as link from './device-link.ts'
import * as email from './email.ts'
import * as invitation from './invitation.ts'
import * as key from './key.ts'
import * as member from './member.ts'
import * as organization from './organization.ts'
import * as password from './password.ts'
import * as role from './role.ts'
import * as service from './service.ts'
import * as session from './session.ts'
import * as social from './social.ts'
import * as support from './support.ts'
import * as team from './team.ts'
import * as token from './token.ts'
import * as trust from './trust.ts'
import * as webhook from './webhook.ts'

/** Every call of the service, by noun. */
export const contract = {
  account,
  email,
  password,
  session,
  device,
  link,
  organization,
  member,
  invitation,
  team,
  role,
  social,
  admin,
  support,
  token,
  key,
  clientKey,
  trust,
  audit,
  webhook,
  service,
}
export type Contract = typeof contract
