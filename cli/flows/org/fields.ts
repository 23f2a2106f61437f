import { parseJson } from '../../client/json.ts'
import { pictureProblem } from '../picture.ts'

export const slugProblem = (text: string): string | undefined =>
  /^[A-Za-z0-9-]{1,64}$/.test(text.trim()) ? undefined : 'A slug has letters, digits and dashes, at most 64'

export const slugRefusals = ['ORGANIZATION_ALREADY_EXISTS'] as const

/** `Acme Inc.` as `acme-inc`; nothing where no letter or digit of a slug is left. */
export const slugOf = (name: string): string =>
  name
    // A letter that has no large form of its own is written as two: ß is SS.
    .toUpperCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-|-$/g, '')

/** The same that the service takes: an object, or nothing. */
const metadataProblem = (text: string): string | undefined =>
  text.trim() === '' || metadataIn(text) ? undefined : 'Metadata is a JSON object, like {"plan":"pro"}'

/** The object that is written there; undefined where it is none. */
export function metadataIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

export const metadataField = {
  kind: 'text',
  label: 'Metadata',
  flag: '--metadata <json>',
  isOptional: true,
  mayBeFile: true,
  check: metadataProblem,
} as const

export const logoField = {
  kind: 'text',
  label: 'Logo URL',
  flag: '--logo <url>',
  isOptional: true,
  check: pictureProblem,
} as const
