/** Role names as people read them: `admin, member`. */
export const roleText = (roles: readonly string[]): string => roles.join(', ')

/** `1,301`: a number for people. */
export const countText = (count: number): string => count.toLocaleString('en')
