/** Resource → its actions: all that exist, or those that a role grants. */
export type Actions = Readonly<Record<string, readonly string[]>>
export type Roles = Readonly<Record<string, Actions>>
export type Connector = 'AND' | 'OR'
/** The requested permissions: per resource a list (all needed), or actions with their own connector. */
export type PermissionRequest = Readonly<
  Record<string, readonly string[] | { readonly actions: readonly string[]; readonly connector: Connector }>
>
export type Verdict = { readonly success: true } | { readonly success: false; readonly error: string }

const all = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
  webhook: ['create', 'update', 'delete'],
  // Roles themselves, under the name that better-auth uses. All members may read them.
  ac: ['create', 'read', 'update', 'delete'],
} as const

/** The organization roles, unless the config file defines others. */
export const organizationRoles: Roles = {
  owner: all,
  admin: { ...all, organization: ['update'] },
  member: {},
}

/** The platform roles. A user with no role is treated as `user`. */
export const platformRoles: Roles = {
  admin: {
    user: [
      'create',
      'list',
      'update',
      'set-role',
      'ban',
      'impersonate',
      'delete',
      'set-password',
      'set-email',
      'unlock',
      'export',
    ],
    session: ['list', 'revoke', 'delete'],
    audit: ['list'],
    key: ['rotate'],
    webhook: ['create', 'update', 'delete'],
    mail: ['list', 'resend', 'release'],
  },
  user: {},
}

/**
 * Whether one role's actions grant the request. Within a resource the connector decides, across resources `mode`. An
 * unknown resource is denied in both modes, and so is an empty request.
 */
export function authorize(role: Actions, request: PermissionRequest, mode: Connector): Verdict {
  let isAllowed = false
  for (const [resource, asked] of Object.entries(request)) {
    const held = Object.hasOwn(role, resource) ? role[resource] : undefined
    if (!held) return denied(`You are not allowed to access resource: ${resource}`)
    isAllowed = holds(held, asked)
    if (isAllowed && mode === 'OR') return { success: true }
    if (!isAllowed && mode === 'AND') return denied(`unauthorized to access resource "${resource}"`)
  }
  return isAllowed ? { success: true } : denied('Not authorized')
}

/** Granted if any single one of the held roles grants the whole request. Unknown roles grant nothing. */
export const isPermitted = (roles: Roles, held: readonly string[], request: PermissionRequest): boolean =>
  held.some((name) => Object.hasOwn(roles, name) && authorize(roles[name] ?? {}, request, 'AND').success)

/**
 * Returns whether the held roles allow everything that the granted roles allow, since nobody can give away more
 * permissions than they have.
 */
export const coversRoles = (roles: Roles, held: readonly string[], granted: readonly string[]): boolean =>
  granted.every(
    (name) => !Object.hasOwn(roles, name) || missingPermissions(roles, held, roles[name] ?? {}).length === 0,
  )

/** Each permission as RESOURCE:ACTION. */
export const permissionsIn = (actions: Actions): readonly string[] =>
  Object.entries(actions).flatMap(([resource, names]) => names.map((name) => `${resource}:${name}`))

/** The permissions in `wanted` that the held roles lack, as RESOURCE:ACTION. */
export const missingPermissions = (roles: Roles, held: readonly string[], wanted: Actions): readonly string[] =>
  Object.entries(wanted).flatMap(([resource, actions]) =>
    permissionsIn({ [resource]: actions.filter((action) => !isPermitted(roles, held, { [resource]: [action] })) }),
  )

/** The roles, each reduced to what the holder of `held`, which are among `known`, can do. */
export const rolesLimitedTo = (roles: Roles, held: readonly string[], known: Roles = roles): Roles =>
  mapValues(roles, (actions) =>
    mapValues(actions, (names, resource) => names.filter((name) => isPermitted(known, held, { [resource]: [name] }))),
  )

const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

const denied = (error: string): Verdict => ({ success: false, error })

type RequestedActions = PermissionRequest[string]
const isList = (asked: RequestedActions): asked is readonly string[] => Array.isArray(asked)

function holds(held: readonly string[], asked: RequestedActions): boolean {
  const actions = isList(asked) ? asked : asked.actions
  if (actions.length === 0) return false
  const isAny = !isList(asked) && asked.connector === 'OR'
  return isAny ? actions.some((action) => held.includes(action)) : actions.every((action) => held.includes(action))
}

/** The refusal when a field and its older name are both given, or neither. */
export const eitherPermissionField = { path: ['permissions'], error: 'either permissions or permission' }
