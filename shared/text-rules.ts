/** In code units: a name is shown in one line of a terminal, a mail and a page. */
export const maxNameLength = 200

/**
 * Something that can be seen: neither blanks nor what Unicode lets be drawn as nothing (Hangul fillers, U+3164), nor the braille
 * pattern without dots, which is a sign by its category alone.
 */
const seen = /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** A name that looks like none. */
export const isBlank = (text: string): boolean => !seen.test(text)

/** In code units. Most pictures are addresses; a small one may be given whole, as `data:`. */
export const maxPictureLength = 2048

/**
 * An http or https address, a `data:` picture, or an empty text. No other scheme: a page that shows it or links to it would
 * run `javascript:`. No relative path: it would mean another address on every page. No SVG, which may hold a script.
 */
export const picturePattern =
  /^(?:https?:\/\/[^\s"<>\\/?#][^\s"<>\\]*|data:image\/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2})?$/

export const pictureRule = 'an http or https address, or data:image/…;base64 of PNG, JPEG, GIF, WebP or AVIF'

export const isPicture = (text: string): boolean => text.length <= maxPictureLength && picturePattern.test(text)

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
