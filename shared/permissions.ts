/** Resource → actions on it: all that exist, or those that a role grants. */
export type Actions = Readonly<Record<string, readonly string[]>>
export type Roles = Readonly<Record<string, Actions>>
export type Connector = 'AND' | 'OR'
/** What is asked: per resource a list (all needed) or actions with their own connector. */
export type PermissionRequest = Readonly<
  Record<string, readonly string[] | { readonly actions: readonly string[]; readonly connector: Connector }>
>
export type Verdict = { readonly success: true } | { readonly success: false; readonly error: string }

const all = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  team: ['create', 'update', 'delete'],
} as const

/** The organization roles, unless the config file has others. */
export const organizationRoles: Roles = {
  owner: all,
  admin: { ...all, organization: ['update'] },
  member: {},
}

/** The platform roles. A user with no role is treated as `user`. */
export const platformRoles: Roles = {
  admin: {
    user: ['create', 'list', 'set-role', 'ban', 'impersonate', 'delete', 'set-password'],
    session: ['list', 'revoke', 'delete'],
    audit: ['list'],
    key: ['rotate'],
  },
  user: {},
}

/**
 * Whether one role's actions allow the request: within a resource the connector decides, across resources
 * `mode`. A resource that the role does not know is a failure in both modes; so is an empty request.
 */
export function authorize(role: Actions, request: PermissionRequest, mode: Connector = 'AND'): Verdict {
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

/** Granted if any single role of those held grants the whole request. An unknown one grants nothing. */
export const may = (
  roles: Roles,
  held: readonly string[],
  request: PermissionRequest,
  mode: Connector = 'AND',
): boolean => held.some((name) => Object.hasOwn(roles, name) && authorize(roles[name] ?? {}, request, mode).success)

/** Whether the holder of roles may do everything that the granted ones grant: nobody gives away more than they have. */
export const coversRoles = (roles: Roles, held: readonly string[], granted: readonly string[]): boolean =>
  granted.every((name) =>
    Object.entries(roles[name] ?? {}).every(([resource, actions]) =>
      actions.every((action) => may(roles, held, { [resource]: [action] })),
    ),
  )

/** The roles, each without what somebody who holds `held` may not do. */
export const rolesWithin = (roles: Roles, held: readonly string[]): Roles =>
  mapValues(roles, (actions) =>
    mapValues(actions, (names, resource) => names.filter((name) => may(roles, held, { [resource]: [name] }))),
  )

const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

const denied = (error: string): Verdict => ({ success: false, error })

type Asked = PermissionRequest[string]
const isList = (asked: Asked): asked is readonly string[] => Array.isArray(asked)

function holds(held: readonly string[], asked: Asked): boolean {
  const actions = isList(asked) ? asked : asked.actions
  if (actions.length === 0) return false
  const isAny = !isList(asked) && asked.connector === 'OR'
  return isAny ? actions.some((action) => held.includes(action)) : actions.every((action) => held.includes(action))
}

/** Of a call whose field has an older name: how it is refused where both are given, or neither. */
export const eitherPermissions = { path: ['permissions'], error: 'either permissions or permission' }
