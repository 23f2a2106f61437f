/** The first letters of a hash: a name. The module is loaded with the first one, since most that ends early needs none. */
export const shortHash = (text: string, length: number): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, length)
