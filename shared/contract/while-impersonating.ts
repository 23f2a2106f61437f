/**
 * The calls that may be made while impersonating: what reads, and what ends with the impersonation. Every other call that
 * looks a session up is refused, a new one too: else what was done as somebody would outlast that. By path, since a client
 * knows it before it loads the calls.
 */
export const allowedWhileImpersonating: ReadonlySet<string> = new Set([
  '/admin/stop-impersonating',
  '/sign-out',
  // Of the session that impersonates alone.
  '/organization/set-active',
  // It names the impersonator, and ends with the session at the latest.
  '/token',
  '/get-session',
  '/list-sessions',
  '/list-accounts',
  '/organization/check-slug',
  '/organization/get-full-organization',
  '/organization/has-permission',
  '/organization/list',
  '/organization/list-roles',
  '/organization/list-activity',
  '/organization/get-active-member',
  '/organization/list-members',
  '/organization/get-invitation',
  '/organization/list-invitations',
  '/organization/list-user-invitations',
  '/organization/list-teams',
  '/organization/list-team-members',
  '/admin/has-permission',
  '/key/list',
  '/key/view',
  '/key/trust/list',
  // On our own pages who impersonates is nobody, as without a session.
  '/page/device',
  '/page/device/request',
  '/page/device/password',
  '/page/device/session',
  '/page/device/provider',
  '/page/device/one-tap',
  '/page/device/link',
  '/page/device/linked',
  '/page/device/decision',
])
