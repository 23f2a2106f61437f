/** The entries of a text of roles, trimmed; an empty one is no role, but was written. */
export const roleEntries = (text: string): string[] => text.split(',').map((name) => name.trim())

/** The role names in a text: comma-separated, each once. Unknown names stay and grant nothing. */
export const rolesIn = (text: string): readonly string[] => [...new Set(roleEntries(text).filter(Boolean))]

/** Role names as the wire, a log line and a mail have them. */
export const textOfRoles = (roles: readonly string[]): string => roles.join(',')
