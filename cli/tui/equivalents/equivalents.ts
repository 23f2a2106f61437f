import { accountActivity, ownTrail } from '../../flows/account/activity.ts'
import { accountView } from '../../flows/account/me.ts'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { userList } from '../../flows/admin/list.ts'
import { users } from '../../flows/admin/resource.ts'
import { userSessionList } from '../../flows/admin/sessions.ts'
import { serviceTrail } from '../../flows/audit/list.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { commandFor, commandWith, type GivenValues } from '../../flows/command-line.ts'
import { sendVerification } from '../../flows/email/addresses.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { invitationList } from '../../flows/invitation/list.ts'
import { invitations } from '../../flows/invitation/resource.ts'
import { keyList } from '../../flows/key/keys.ts'
import { keys, ownKeys } from '../../flows/key/resource.ts'
import { linkList } from '../../flows/link/accounts.ts'
import { links } from '../../flows/link/resource.ts'
import { mailList } from '../../flows/mail/mails.ts'
import { mails } from '../../flows/mail/resource.ts'
import { memberList } from '../../flows/member/members.ts'
import { members } from '../../flows/member/resource.ts'
import { organizationTrail } from '../../flows/org/activity.ts'
import { organizationList } from '../../flows/org/list.ts'
import { switchOrganization } from '../../flows/org/own-acts.ts'
import { organizationSettings, organizations } from '../../flows/org/resource.ts'
import type { OrganizationView } from '../../flows/org/view.ts'
import { pagedCommand } from '../../flows/paged.ts'
import { roles } from '../../flows/role/resource.ts'
import { roleList } from '../../flows/role/roles.ts'
import { sessions, userSessions } from '../../flows/session/resource.ts'
import { sessionList } from '../../flows/session/sessions.ts'
import { teamMemberList } from '../../flows/team/members.ts'
import { teamMembers, teams } from '../../flows/team/resource.ts'
import { teamList } from '../../flows/team/teams.ts'
import { trusts } from '../../flows/trust/resource.ts'
import { trustList } from '../../flows/trust/trusts.ts'
import { webhooks } from '../../flows/webhook/resource.ts'
import { webhookList } from '../../flows/webhook/webhooks.ts'
import type { Column } from '../../output/cell.ts'
import { accountForms, signInForms, signUpForm } from '../forms/forms.ts'
import type { Keymap } from '../keymap/keymap.ts'
import { type NumberedScreen, numberedScreens } from '../keymap/names.ts'
import { actEntry, type Entry, entriesOf, firstOfEach, formEntry, keyed, plain } from './entries.ts'
import * as sample from './sample.ts'

/** What a screen offers, and the command that does the same. */
interface Equivalent extends Entry {
  readonly screen: NumberedScreen | 'everywhere'
  /** The part of the screen, or the screen that opens from it. */
  readonly place: string
}

export const columns: readonly Column<Equivalent>[] = [
  { header: 'Screen', value: ({ screen }) => screen },
  { header: 'Place', value: ({ place }) => place },
  { header: 'Entry', value: ({ entry }) => entry },
  { header: 'Key', value: ({ key }) => key },
  { header: 'Command', value: ({ command }) => command },
]

/** The equivalents of one numbered screen, or of all and of what works everywhere. */
export function equivalentsOf(keymap: Keymap, screen?: NumberedScreen): readonly Equivalent[] {
  const shown = numberedScreens.filter((one) => screen === undefined || one.screen === screen)
  const rows = shown.flatMap((one) =>
    Object.entries(placesOf[one.screen](keymap)).flatMap(([place, entries]) =>
      entries.map((entry) => ({ screen: one.screen, place, ...entry })),
    ),
  )
  if (screen !== undefined) return rows
  return [
    ...rows,
    ...everywhere(keymap).map((entry) => ({ screen: 'everywhere' as const, place: 'Everywhere', ...entry })),
  ]
}

type Places = Readonly<Record<string, readonly Entry[]>>

type Listed = Parameters<typeof commandWith>[0]
const of = (listing: Listed, given: GivenValues = {}, flags: readonly string[] = []): string =>
  commandWith(listing, [], { given, flags })

const placesOf: Readonly<Record<NumberedScreen, (keymap: Keymap) => Places>> = {
  home: (keymap) => ({
    Home: [
      keyed(keymap, ['home', 'verify'], actEntry(sendVerification, [sample.me])),
      keyed(keymap, ['home', 'accept'], actEntry(acceptInvitation, [])),
      actEntry(rejectInvitation, []),
      actEntry(signOut, []),
    ],
    'Signed out': signInForms.map((form) => formEntry(form())),
  }),
  accounts: (keymap) => ({
    Accounts: [
      plain('The list', 'postern auth list'),
      keyed(keymap, ['move', 'open'], actEntry(switchAccount, [])),
      keyed(keymap, ['account', 'remove'], actEntry(signOut, [{ origin: '', email: 'ACCOUNT' }])),
      keyed(keymap, ['account', 'create'], formEntry(signUpForm())),
      ...signInForms.filter((form) => form !== signUpForm).map((form) => formEntry(form())),
    ],
  }),
  sessions: (keymap) => ({
    Sessions: entriesOf(keymap, { ...ownSessions, scope: 'sessions', list: of(sessionList) }),
  }),
  profile: (keymap) => ({
    Profile: profileEntries(keymap),
    Activity: trailEntries(keymap, pagedCommand(ownTrail)),
    'Keys for machines': entriesOf(keymap, {
      resource: ownKeys,
      view: { keys: [sample.key], within: undefined },
      scope: 'own-keys',
      list: of(keyList, { mine: true }),
    }),
    'Linked accounts': entriesOf(keymap, {
      resource: links,
      view: { accounts: [sample.link], offered: () => [{ id: 'PROVIDER', name: 'PROVIDER' }] },
      scope: 'links',
      list: of(linkList),
    }),
  }),
  orgs: (keymap) => ({
    Organizations: entriesOf(keymap, {
      resource: organizations,
      view: { organizations: [organization], active: organization },
      scope: 'orgs',
      list: of(organizationList),
    }),
    ...panelPlaces(keymap),
    Activity: trailEntries(keymap, pagedCommand(organizationTrail(sample.organization))),
  }),
  admin: (keymap) => ({
    Users: entriesOf(keymap, {
      resource: users,
      view: { users: [sample.user, sample.bannedUser], total: 2, me: undefined },
      scope: 'admin',
      list: of(userList),
    }),
    'Sessions of a user': entriesOf(keymap, {
      ...ownSessions,
      resource: userSessions,
      scope: 'user-sessions',
      list: of(userSessionList, { user: 'USER' }),
    }),
    'The outbox': entriesOf(keymap, {
      resource: mails,
      view: { mails: [sample.mail] },
      scope: 'mails',
      list: of(mailList),
    }),
    'Audit trail': trailEntries(keymap, pagedCommand(serviceTrail())),
    'Webhooks of the service': webhookEntries(keymap, undefined, of(webhookList, { platform: true })),
  }),
  requests: (keymap) => ({
    Requests: [
      keyed(keymap, ['selection', 'copy-command'], plain('Copy as command', 'postern api PATH')),
      plain('Copy as curl', 'postern api PATH --print curl'),
    ],
  }),
}

const ownSessions = { resource: sessions, view: { sessions: [sample.session], user: sample.user } }
const { organization } = sample.organization

/** The panels of an organization, and what opens from them. */
function panelPlaces(keymap: Keymap): Places {
  const view = sample.organization
  const withKeys = { keys: [sample.key], within: view }
  const ofTeam = { ...view, team: sample.team }
  const withTrusts = { ...view, trusts: [sample.trust] }
  const list = (listing: Listed, given?: GivenValues) => of(listing, given, ['--org', organization.slug])
  const team = list(teamMemberList, { team: sample.team.name })
  return {
    Members: entriesOf(keymap, { resource: members, view, scope: 'members', list: list(memberList) }),
    Invitations: entriesOf(keymap, { resource: invitations, view, scope: 'invitations', list: list(invitationList) }),
    Teams: entriesOf(keymap, { resource: teams, view, scope: 'teams', list: list(teamList) }),
    'Members of a team': entriesOf(keymap, { resource: teamMembers, view: ofTeam, scope: 'team', list: team }),
    Roles: entriesOf(keymap, { resource: roles, view, scope: 'roles', list: list(roleList) }),
    Keys: entriesOf(keymap, { resource: keys, view: withKeys, scope: 'keys', list: list(keyList) }),
    'CI jobs': entriesOf(keymap, { resource: trusts, view: withTrusts, scope: 'trusts', list: list(trustList) }),
    Settings: entriesOf(keymap, { resource: organizationSettings, view, scope: 'settings' }),
    Webhooks: webhookEntries(keymap, view, list(webhookList)),
  }
}

function webhookEntries(keymap: Keymap, within: OrganizationView | undefined, list: string): readonly Entry[] {
  const entries = [sample.webhook, sample.pausedWebhook].flatMap((webhook) =>
    entriesOf(keymap, { resource: webhooks, view: { webhooks: [webhook], within }, scope: 'webhooks', list }),
  )
  return firstOfEach(entries)
}

function profileEntries(keymap: Keymap): readonly Entry[] {
  const state = { me: sample.me, organizations: [] }
  const [edit, ...forms] = accountForms.map((form) => formEntry(form(state)))
  const isDeletion = ({ command }: Entry) => command.startsWith('postern account delete --confirm')
  return [
    plain('The profile', of(accountView)),
    ...(edit ? [keyed(keymap, ['profile', 'edit'], edit)] : []),
    ...forms.map((entry) => (isDeletion(entry) ? keyed(keymap, ['profile', 'remove'], entry) : entry)),
    actEntry(sendVerification, [sample.me]),
    plain('Activity', of(accountActivity)),
  ]
}

const trailEntries = (keymap: Keymap, command: string): readonly Entry[] => [
  plain('The list', command),
  keyed(keymap, ['trail', 'follow'], plain('Follow', `${command} --follow`)),
]

const everywhere = (keymap: Keymap): readonly Entry[] => [
  keyed(keymap, ['shell', 'switch-account'], plain('Switch account', commandFor(switchAccount, []))),
  keyed(keymap, ['shell', 'switch-organization'], plain('Work in', commandFor(switchOrganization, []))),
  keyed(keymap, ['shell', 'read-only'], plain('Read-only', 'postern tui --read-only')),
  keyed(keymap, ['shell', 'stop-impersonating'], actEntry(stopImpersonating, [])),
  ...numberedScreens.map(({ screen, key, title }) => ({ ...plain(title, `postern tui --screen ${screen}`), key })),
]
