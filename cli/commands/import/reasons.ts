/** Why a record did not come, and what to do. */
const reasons: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  NOT_JSON: ['is not JSON', 'Each line is one record: postern schema import'],
  NOT_UTF8: ['is not UTF-8'],
  LINE_TOO_LONG: ['is longer than 1 MiB'],
  INVALID: ['is no record of the format', 'See it: postern schema import'],
  INVALID_TEXT: ['contains a NUL or half of a character, which the database cannot store'],
  INVALID_EMAIL: ['has an address that is no plain e-mail address'],
  INVALID_SLUG: ['has a slug of other characters than letters, digits and -'],
  ACCOUNT_ID_MISSING: ['names no user of its provider'],
  TOKEN_MISSING: ['has neither token nor tokenHash'],
  HASH_UNKNOWN: ['has a password hash of an unknown format', 'The formats: docs/moving.md'],
  HASH_COSTLY: ['has a password hash that costs more than is ever computed', 'The limits: docs/moving.md'],
  EMAIL_TAKEN: ['has the address of another user, perhaps in another spelling'],
  ID_TAKEN: ['has the id of another record'],
  IDENTITY_TAKEN: ['is linked to another user already'],
  PASSWORD_EXISTS: ['is the second password of its user'],
  SLUG_TAKEN: ['has the slug of another organization'],
  MEMBER_EXISTS: ['is the second membership of its user in the organization'],
  INVITATION_EXISTS: ['is the second pending invitation of its address'],
  TOKEN_TAKEN: ['has the token of another session'],
  SESSION_ENDED: ['was ended here since it came, so it does not come again'],
  USER_UNKNOWN: ['names a user who is not there', 'Users come before what names them'],
  USER_IS_MACHINE: ['belongs to a machine user, which has no accounts'],
  ORGANIZATION_UNKNOWN: ['names an organization that is not there, or of which its user is no member'],
  TEAM_UNKNOWN: ['names a team that is not in the organization'],
  ALTERED: ['came without what this service does not take'],
}

export const reasonOf = (code: string): readonly [message: string, hint?: string] =>
  reasons[code] ?? ['was refused by the database']
