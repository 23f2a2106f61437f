import type * as z from 'zod'
import type { Call, CallGroup } from '../../shared/contract/call.ts'
import { type Contract, contract } from '../../shared/contract/index.ts'
import { deviceGrantType } from '../../shared/device.ts'
import { accessTokenType, exchangeGrantType, subjectTokenTypes } from '../../shared/key-text.ts'
import { type TestService, testServiceKey } from './service.ts'

type Inputs = {
  readonly [G in keyof Contract]: { readonly [C in keyof Contract[G]]: Readonly<Record<string, unknown>> }
}

/** Where a reader of another database stands. */
export const noSuchMark = Buffer.from(JSON.stringify(['no-such-database', '700:700:', null])).toString('base64url')

const trailPage = {
  event: 'sign-in,team-created',
  since: '2026-01-01T00:00:00Z',
  until: '2026-02-01T00:00:00Z',
  limit: '10',
  cursor: 'WzE3NjcyMjU2MDAwMDAsIjAxOWI3Il0',
  after: noSuchMark,
}
const narrowed = { userId: 'no-such-user', actorId: 'no-such-user', organizationId: 'no-such-organization' }

/** An input with every field, right in shape and content. A call that has none here does not compile. */
const inputs: Inputs = {
  account: {
    signUpEmail: {
      email: 'new@example.com',
      password: 'correct horse battery staple',
      name: 'New',
      image: 'https://example.com/new.png',
      callbackURL: '/welcome',
    },
    signInEmail: {
      email: 'nobody@example.com',
      password: 'correct horse battery staple',
      rememberMe: true,
      callbackURL: '/home',
    },
    signOut: {},
    listFields: {},
    updateUser: { name: 'Other', image: 'https://example.com/other.png', email: '' },
    exportAccount: {},
    deleteUser: { password: 'wrong horse battery staple', token: 'no-such-token', callbackURL: '/bye' },
    deleteUserCallback: { token: 'no-such-token', callbackURL: '/bye' },
  },
  email: {
    sendVerificationEmail: { email: 'nobody@example.com', callbackURL: '/verified' },
    verifyEmail: { token: 'no-such-token', callbackURL: '/verified' },
    changeEmail: { newEmail: 'other@example.com', callbackURL: '/changed' },
  },
  password: {
    forgetPassword: { email: 'nobody@example.com', redirectTo: '/reset' },
    requestPasswordReset: { email: 'nobody@example.com', redirectTo: '/reset' },
    openResetLink: { token: 'no-such-token', callbackURL: '/reset' },
    resetPassword: { newPassword: 'another horse battery staple', token: 'no-such-token' },
    changePassword: {
      newPassword: 'another horse battery staple',
      currentPassword: 'wrong horse battery staple',
      revokeOtherSessions: true,
    },
    setPassword: { newPassword: 'another horse battery staple', userId: 'no-such-user' },
  },
  session: {
    getSession: { disableCookieCache: 'true', disableRefresh: 'true' },
    updateSession: { label: 'laptop' },
    listSessions: {},
    revokeSession: { token: 'no-such-session' },
    revokeSessions: {},
    revokeOtherSessions: {},
    listDeviceSessions: {},
    setActiveSession: { sessionToken: 'no-such-session' },
    revokeDeviceSession: { sessionToken: 'no-such-session' },
  },
  link: {
    startDeviceLink: { client_id: 'a-terminal', provider: 'google' },
    pollDeviceLink: { client_id: 'a-terminal', device_code: 'no-such-code' },
  },
  device: {
    startDevice: {
      client_id: 'a-device',
      scope: 'profile',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      redirect_uri: 'http://127.0.0.1:49152/done',
      state: 'any-state',
    },
    pollDevice: {
      grant_type: deviceGrantType,
      device_code: 'no-such-code',
      client_id: 'a-device',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      code: 'no-such-code',
    },
    viewDevice: { user_code: 'BCDF-GHJK' },
    approveDevice: { userCode: 'BCDF-GHJK' },
    denyDevice: { userCode: 'BCDF-GHJK' },
  },
  organization: {
    create: {
      name: 'Other',
      slug: 'other',
      userId: 'no-such-user',
      logo: 'https://example.com/logo.png',
      metadata: { plan: 'free' },
      keepCurrentActiveOrganization: true,
    },
    checkSlug: { slug: 'other' },
    update: { data: { name: 'Other' }, organizationId: 'no-such-organization' },
    remove: { organizationId: 'no-such-organization' },
    list: { limit: '10', offset: '0' },
    getOrganization: { organizationId: 'no-such-organization', organizationSlug: 'no-such-slug' },
    getFullOrganization: { organizationId: 'no-such-organization', organizationSlug: 'no-such-slug' },
    setActive: { organizationId: 'no-such-organization', organizationSlug: 'no-such-slug' },
    hasPermission: { organizationId: 'no-such-organization', permissions: { member: ['create'] } },
    addMember: {
      userId: 'no-such-user',
      role: 'member',
      organizationId: 'no-such-organization',
      teamId: 'no-such-team',
    },
  },
  member: {
    listMembers: {
      organizationId: 'no-such-organization',
      organizationSlug: 'no-such-slug',
      limit: '10',
      offset: '0',
      search: 'nobody',
      role: 'member',
      sortBy: 'createdAt',
      sortDirection: 'desc',
      filterField: 'role',
      filterOperator: 'eq',
      filterValue: 'member',
    },
    getActiveMember: {},
    getActiveMemberRole: {
      userId: 'no-such-user',
      organizationId: 'no-such-organization',
      organizationSlug: 'no-such-slug',
    },
    removeMember: { memberIdOrEmail: 'nobody@example.com', organizationId: 'no-such-organization' },
    updateMemberRole: { memberId: 'no-such-member', role: 'admin', organizationId: 'no-such-organization' },
    leave: { organizationId: 'no-such-organization' },
  },
  invitation: {
    inviteMember: {
      email: 'nobody@example.com',
      role: 'member',
      organizationId: 'no-such-organization',
      resend: true,
      teamId: 'no-such-team',
    },
    acceptInvitation: { invitationId: 'no-such-invitation' },
    rejectInvitation: { invitationId: 'no-such-invitation' },
    cancelInvitation: { invitationId: 'no-such-invitation' },
    getInvitation: { id: 'no-such-invitation' },
    listInvitations: { organizationId: 'no-such-organization', status: 'all', limit: '10', offset: '0' },
    listUserInvitations: { limit: '10', offset: '0' },
  },
  team: {
    createTeam: { name: 'Other', organizationId: 'no-such-organization' },
    removeTeam: { teamId: 'no-such-team', organizationId: 'no-such-organization' },
    updateTeam: { teamId: 'no-such-team', data: { name: 'Other' } },
    listTeams: { organizationId: 'no-such-organization', limit: '10', offset: '0' },
    addTeamMember: { teamId: 'no-such-team', userId: 'no-such-user' },
    removeTeamMember: { teamId: 'no-such-team', userId: 'no-such-user' },
    listTeamMembers: { teamId: 'no-such-team', limit: '10', offset: '0' },
    setActiveTeam: { teamId: 'no-such-team' },
    listUserTeams: { organizationId: 'no-such-organization', userId: 'no-such-user', limit: '10', offset: '0' },
  },
  role: {
    listRoles: { organizationId: 'no-such-organization' },
    getRole: { organizationId: 'no-such-organization', roleName: 'member', roleId: 'no-such-id' },
    createRole: { organizationId: 'no-such-organization', role: 'editor', permission: { team: ['create'] } },
    updateRole: {
      organizationId: 'no-such-organization',
      roleName: 'no-such-role',
      roleId: 'no-such-id',
      data: { permission: { team: ['create'] }, roleName: 'writer' },
    },
    deleteRole: { organizationId: 'no-such-organization', roleName: 'no-such-role', roleId: 'no-such-id' },
  },
  social: {
    signInSocial: {
      provider: 'google',
      callbackURL: '/home',
      newUserCallbackURL: '/welcome',
      errorCallbackURL: '/oops',
      disableRedirect: true,
      idToken: { token: 'no-such-token' },
      scopes: ['calendar'],
      requestSignUp: true,
      loginHint: 'ann@example.com',
    },
    callbackSocial: {
      id: 'google',
      code: 'no-such-code',
      state: 'no-such-state',
      error: 'access_denied',
      error_description: 'No',
      device_id: 'no-such-device',
      user: '{}',
      iss: 'https://accounts.google.com',
    },
    callbackSocialForm: { id: 'google', code: 'no-such-code', state: 'no-such-state', user: '{}' },
    listProviders: {},
    listAccounts: {},
    linkSocial: {
      provider: 'google',
      callbackURL: '/home',
      errorCallbackURL: '/oops',
      scopes: ['calendar'],
      disableRedirect: true,
      requestSignUp: true,
      loginHint: 'ann@example.com',
      idToken: { token: 'no-such-token', nonce: 'n', accessToken: 'a', refreshToken: 'r', expiresAt: 1 },
    },
    unlinkAccount: { providerId: 'google', accountId: 'no-such-account' },
    accountInfo: { providerId: 'google', accountId: 'no-such-account', userId: 'no-such-user' },
    refreshToken: { providerId: 'google', accountId: 'no-such-account', userId: 'no-such-user' },
    getAccessToken: { providerId: 'google', accountId: 'no-such-account', userId: 'no-such-user' },
    oneTap: { idToken: 'no-such-token' },
  },
  admin: {
    listUsers: {
      limit: '10',
      offset: '0',
      searchValue: 'nobody',
      searchField: 'name',
      searchOperator: 'starts_with',
      sortBy: 'createdAt',
      sortDirection: 'desc',
      filterField: 'role',
      filterValue: 'user',
      filterOperator: 'eq',
    },
    getUser: { id: 'no-such-user' },
    updateManagedUser: {
      userId: 'no-such-user',
      data: { name: 'Other', image: 'https://example.com/other.png', email: 'other@example.com', emailVerified: true },
    },
    createUser: {
      email: 'new@example.com',
      password: 'correct horse battery staple',
      name: 'New',
      role: 'user',
      data: { image: 'https://example.com/new.png', emailVerified: true, role: ['user'], banned: false },
    },
    setRole: { userId: 'no-such-user', role: 'user' },
    banUser: { userId: 'no-such-user', banReason: 'Spam', banExpiresIn: 3600 },
    unbanUser: { userId: 'no-such-user' },
    impersonateUser: { userId: 'no-such-user' },
    stopImpersonating: {},
    listUserSessions: { userId: 'no-such-user' },
    revokeUserSession: { sessionToken: 'no-such-session' },
    revokeUserSessions: { userId: 'no-such-user' },
    removeUser: { userId: 'no-such-user' },
    setUserPassword: { userId: 'no-such-user', newPassword: 'another horse battery staple' },
    hasPlatformPermission: { userId: 'no-such-user', role: 'user', permissions: { user: ['list'] } },
  },
  support: {
    exportUser: { userId: 'no-such-user' },
    viewUser: { userId: 'no-such-user' },
    unlockUser: { userId: 'no-such-user' },
    listMails: { limit: '10', offset: '0', state: 'parked', userId: 'no-such-user' },
    resendMail: { mailId: 'no-such-mail' },
    releaseMails: {},
  },
  token: { getToken: {}, getKeys: {}, rotateKeys: { revoke: true } },
  key: {
    createKey: {
      name: 'deploy',
      organizationId: 'no-such-organization',
      role: 'member',
      scopes: ['read'],
      expiresIn: 3600,
      ipRanges: ['10.0.0.0/8'],
      rotatesItself: true,
    },
    listKeys: { organizationId: 'no-such-organization', limit: '10', offset: '0' },
    viewKey: { keyId: 'no-such-key' },
    rotateKey: { keyId: 'no-such-key', overlap: 60, expiresIn: 3600 },
    adoptKey: { keyId: 'no-such-key' },
    revokeKey: { keyId: 'no-such-key' },
  },
  clientKey: {
    createClientKey: { name: 'deploy', expiresIn: 3600 },
    listClientKeys: { limit: '10', offset: '0' },
    getClientKey: { id: 'no-such-key' },
    deleteClientKey: { keyId: 'no-such-key' },
  },
  trust: {
    createTrust: {
      name: 'deploy',
      organizationId: 'no-such-organization',
      issuer: 'https://token.actions.githubusercontent.com',
      audience: 'https://id.example.com',
      claims: { repository: 'acme/site' },
      role: 'member',
      rotates: ['no-such-key'],
      expiresIn: 900,
    },
    listTrusts: { organizationId: 'no-such-organization', limit: '10', offset: '0' },
    adoptTrust: { trustId: 'no-such-trust' },
    deleteTrust: { trustId: 'no-such-trust' },
    exchangeToken: {
      grant_type: exchangeGrantType,
      subject_token: 'no-such-token',
      subject_token_type: subjectTokenTypes[0],
      requested_token_type: accessTokenType,
      organization: 'no-such-organization',
      trust: 'no-such-trust',
    },
  },
  webhook: {
    createWebhook: {
      url: 'https://receiver.example.com/hook',
      organizationId: 'no-such-organization',
      events: ['member'],
    },
    listWebhooks: { organizationId: 'no-such-organization', limit: '10', offset: '0' },
    viewWebhook: { webhookId: 'no-such-webhook' },
    updateWebhook: {
      webhookId: 'no-such-webhook',
      url: 'https://receiver.example.com/other',
      events: null,
      paused: true,
    },
    rotateWebhook: { webhookId: 'no-such-webhook', overlap: 60 },
    resumeWebhook: { webhookId: 'no-such-webhook', after: trailPage.after },
    testWebhook: { webhookId: 'no-such-webhook' },
    deleteWebhook: { webhookId: 'no-such-webhook' },
  },
  audit: {
    listAuditEvents: { ...trailPage, ...narrowed },
    listActivity: trailPage,
    listOrganizationActivity: { ...trailPage, ...narrowed },
  },
  service: { ok: {}, ready: {}, error: { error: 'no_code' } },
}

export interface KnownCall {
  readonly name: string
  readonly call: Call
  /** With what it names filled in. */
  readonly path: string
  /** The same; of a GET with the rest of its input as query. */
  readonly target: string
  /** What its callers have to send along. */
  readonly headers: Record<string, string>
  readonly input: Readonly<Record<string, unknown>>
  /** Field → its schema, those in the path left out. */
  readonly fields: Readonly<Record<string, z.ZodType>>
}

/** Every call of the contract. */
export const knownCalls: readonly KnownCall[] = Object.entries(contract as Record<string, CallGroup>).flatMap(
  ([noun, group]) => Object.entries(group).map(([name, call]) => knownCall(noun, name, call)),
)

function knownCall(noun: string, name: string, call: Call): KnownCall {
  const input = (inputs as Record<string, Record<string, Record<string, string>>>)[noun]![name]!
  const fields = Object.entries((call.input as z.ZodObject).shape as Record<string, z.ZodType>)
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => input[field]!)
  return {
    name,
    call,
    path,
    target: call.method === 'GET' ? `${path}?${new URLSearchParams(input).toString()}` : path,
    headers: headersOf(call),
    input,
    fields: Object.fromEntries(fields.filter(([field]) => !call.path.includes(`{${field}}`))),
  }
}

/** What a caller of a call for trusted servers has to send. */
function headersOf({ access }: Call): Record<string, string> {
  return access === 'server' ? { authorization: `Bearer ${testServiceKey}` } : {}
}

/** All that is stored, as text: equal before and after means that nothing was written. Counters of limits apart. */
export async function dump({ deps: { sql } }: Pick<TestService, 'deps'>): Promise<string> {
  const [row] = await sql<{ all: string }[]>`
    select json_build_object(
      'users', (select coalesce(json_agg(u order by u.id), '[]') from users u),
      'accounts', (select coalesce(json_agg(a order by a.id), '[]') from accounts a),
      'sessions', (select coalesce(json_agg(s order by s.id), '[]') from sessions s),
      'verifications', (select coalesce(json_agg(v order by v.id), '[]') from verifications v),
      'device requests', (select coalesce(json_agg(d order by d.id), '[]') from device_requests d),
      'organizations', (select coalesce(json_agg(o order by o.id), '[]') from organizations o),
      'members', (select coalesce(json_agg(m order by m.id), '[]') from members m),
      'invitations', (select coalesce(json_agg(i order by i.id), '[]') from invitations i),
      'teams', (select coalesce(json_agg(t order by t.id), '[]') from teams t),
      'outbox', (select coalesce(json_agg(o order by o.id), '[]') from outbox o)
    )::text as all
  `
  return row!.all
}
