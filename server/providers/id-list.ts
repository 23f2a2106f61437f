import type { ProviderOption } from './provider.ts'

/** Ids in a setting, comma-separated. */
export const idList = (what: string): ProviderOption => ({
  expected: `${what}, comma-separated`,
  pattern: /^[^\s,]+(\s*,\s*[^\s,]+)*$/,
})

export const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)
