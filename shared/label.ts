import { isBlank } from './name.ts'

/** What the machine of a session calls itself: chosen by whoever asks, so a text for people and never a proof. */
export const labelHeader = 'x-postern-label'

/** In code points. */
export const maxLabelLength = 64

/** One line without control, format or private characters; null where nothing is left. What is longer is cut. */
export function cleanLabel(text: string): string | null {
  if (isBlank(text)) return null
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return Array.from(line).slice(0, maxLabelLength).join('').trimEnd() || null
}

/** As a header holds it: ASCII, whatever letters the label has. */
export const encodeLabel = (label: string): string => encodeURIComponent(label.toWellFormed())

/** As it was sent; a text that was never encoded is taken as it is. */
export function decodeLabel(header: string): string | null {
  try {
    return cleanLabel(decodeURIComponent(header))
  } catch {
    return cleanLabel(header)
  }
}
