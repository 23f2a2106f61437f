/** Role names as people read them: `admin, member`. */
export const roleText = (roles: readonly string[]): string => roles.join(', ')
