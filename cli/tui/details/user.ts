import type { FullUser } from '../../../shared/entities.ts'
import { roleText } from '../../output/role-text.ts'
import { banText } from '../text/ban-text.ts'
import { fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

/** A user of the service, for an administrator. */
export function userDetail(user: FullUser): Detail {
  const { email, emailVerified, name, role, banned, createdAt, id } = user
  return {
    title: email,
    facts: [
      { label: 'E-mail', value: `${email}  (${emailVerified ? 'verified' : 'not verified'})` },
      { label: 'Name', value: name },
      { label: 'Roles', value: roleText(role ?? []) || '-' },
      { label: 'Banned', value: banned ? banText(user) : 'no', tone: banned ? 'danger' : 'plain' },
      { label: 'Since', value: fullTime(createdAt) },
      { label: 'ID', value: id },
    ],
  }
}
