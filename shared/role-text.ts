/** The trimmed entries of a text of roles, including empty ones. */
export const roleEntries = (text: string): string[] => text.split(',').map((name) => name.trim())

/** The role names in a comma-separated text, each once. Unknown names stay and grant nothing. */
export const rolesIn = (text: string): readonly string[] => [...new Set(roleEntries(text).filter(Boolean))]

/** Role names as comma-separated text, for the wire, log lines and mails. */
export const textOfRoles = (roles: readonly string[]): string => roles.join(',')
