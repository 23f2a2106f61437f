/** Systems encode the same typed password in different bytes, which NFKC unifies. Nothing is trimmed or case-folded. */
export const normalizePassword = (password: string): string => password.normalize('NFKC')
