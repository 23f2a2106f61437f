/** The trimmed entries of a text of roles, including empty ones. */
export const splitRoles = (text: string): string[] => text.split(',').map((name) => name.trim())

/** The role names in a comma-separated text, each once. Unknown names stay and grant nothing. */
export const parseRoles = (text: string): readonly string[] => [...new Set(splitRoles(text).filter(Boolean))]

/** Role names as comma-separated text, for the wire, log lines and mails. */
export const formatRoles = (roles: readonly string[]): string => roles.join(',')
