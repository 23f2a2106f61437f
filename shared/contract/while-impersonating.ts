/**
 * The calls allowed during an impersonation: those that only read, and those whose effect ends with it. Every other
 * call that looks up a session is refused, future ones too, since what was done as somebody else would outlast the
 * impersonation. Listed by path, since a client knows it before it loads the calls.
 */
export const allowedWhileImpersonating: ReadonlySet<string> = new Set([
  '/admin/stop-impersonating',
  '/sign-out',
  // Change only the impersonation session.
  '/organization/set-active',
  '/organization/set-active-team',
  // The token names the impersonator, and ends with the session at the latest.
  '/token',
  '/get-session',
  '/list-sessions',
  '/list-accounts',
  '/organization/check-slug',
  '/organization/get-organization',
  '/organization/get-full-organization',
  '/organization/has-permission',
  '/organization/list',
  '/organization/list-roles',
  '/organization/get-role',
  '/organization/list-activity',
  '/organization/get-active-member',
  '/organization/get-active-member-role',
  '/organization/list-members',
  '/organization/get-invitation',
  '/organization/list-invitations',
  '/organization/list-user-invitations',
  '/organization/list-teams',
  '/organization/list-team-members',
  '/organization/list-user-teams',
  '/admin/has-permission',
  '/key/list',
  '/key/view',
  '/api-key/list',
  '/api-key/get',
  '/key/trust/list',
  '/webhook/list',
  '/webhook/view',
  // Our own pages treat an impersonation as no session.
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
