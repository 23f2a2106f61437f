import type { MailKind } from '../../../server/mail/outbox.ts'
import type { Extensions } from '../../../server/settings/extensions.ts'
import { code, table } from './markdown.ts'

interface HookWords {
  readonly given: string
  readonly when: string
  readonly answers: string
}

type Hook = {
  [Name in keyof Extensions]-?: Required<Extensions>[Name] extends (...given: never) => unknown ? Name : never
}[keyof Extensions]

/** Every function that a configuration file may hold. */
const hooks: Readonly<Record<Hook, HookWords>> = {
  mapProfile: {
    given: 'profile, provider',
    when: 'at a provider sign-in',
    answers: 'another `email`, `name`, `image` or `emailVerified`',
  },
  mayCreateOrganization: { given: 'user', when: 'before an organization is created', answers: 'true or false' },
  organizationLimit: {
    given: 'user',
    when: 'before an organization is created or joined',
    answers: 'a number; or true if the user has enough, false for `ORGANIZATION_LIMIT`',
  },
  beforeCreateOrganization: {
    given: 'draft, user',
    when: 'before an organization is created',
    answers: 'another draft',
  },
  afterCreateOrganization: { given: 'organization, user', when: 'afterwards', answers: '' },
  beforeDeleteOrganization: {
    given: 'organization, user',
    when: 'before an organization is deleted, also with the account of the only person in it',
    answers: '',
  },
  afterDeleteOrganization: { given: 'organization, user', when: 'afterwards', answers: '' },
  beforeDeleteUser: { given: 'user', when: 'before a user is deleted', answers: '' },
  afterDeleteUser: { given: 'user', when: 'afterwards', answers: '' },
  afterVerifyEmail: {
    given: 'user',
    when: 'after a mailed link verified an address, or proved it for another sign-in method; after no other proof',
    answers: '',
  },
  afterResetPassword: { given: 'user', when: 'after a password is reset', answers: '' },
  defineTokenPayload: {
    given: '{ user, organization }',
    when: 'for a JWT',
    answers: 'the claims in place of user and organization',
  },
  sendMail: { given: 'mail', when: 'for each mail, in place of SMTP', answers: '' },
}

/** What else it may hold beside settings. */
const others: Readonly<Record<Exclude<keyof Extensions, Hook>, string>> = {
  roles: 'Organization roles in place of owner, admin and member: role → resource → actions.',
  platformRoles: 'Platform roles in place of admin and user.',
  userFields: '[Fields of your own](applications.md#fields-of-your-own) that every user has.',
  organizationFields: '[Fields of your own](applications.md#fields-of-your-own) that every organization has.',
  mailTemplates: 'Texts of mails, by [kind](mail.md#kinds).',
  RATE_LIMITS: 'Numbers of [limits](rate-limits.md).',
  disabledPaths: "Calls that are switched off and answer 404, such as `['/sign-up/email']`.",
}

const mails: Readonly<Record<MailKind, string>> = {
  'verify-email': 'The link that verifies an address.',
  'change-email': 'Asks the old mailbox to agree to a new address.',
  'reset-password': 'The link that sets a new password.',
  'delete-account': 'The link that deletes the account, in a browser that is signed in.',
  'email-changed': 'Tells the old mailbox that the address changed.',
  'password-changed': 'Tells that the password changed.',
  'account-linked': 'Tells that a provider account was linked.',
  'account-unlinked': 'Tells that an account was unlinked.',
  'unproven-sign-ins-ended': 'Tells which sign-in methods ended, because they had not proved the mailbox.',
  'sign-up-again': 'Tells the owner that somebody tried to sign up with the address.',
  invitation: 'Invites to an organization.',
}

export const hooksTable = (): string =>
  table(
    ['Function', 'Called', 'May answer'],
    Object.entries(hooks).map(([name, { given, when, answers }]) => [code(`${name}(${given})`), when, answers]),
  )

export const extensionsTable = (): string =>
  table(
    ['Name', 'Meaning'],
    Object.entries(others).map(([name, meaning]) => [code(name), meaning]),
  )

export const mailsTable = (): string =>
  table(
    ['Kind', 'What it is for'],
    Object.entries(mails).map(([kind, meaning]) => [code(kind), meaning]),
  )
