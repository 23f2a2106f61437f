/** In code units. A name must fit in one line of a terminal, a mail and a page. */
export const maxNameLength = 200

/**
 * A visible character: no blank, nothing that Unicode allows to be drawn as nothing (Hangul fillers, U+3164), and not
 * the braille pattern without dots, whose category alone makes it a symbol.
 */
const seen = /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns whether a name has no visible character. */
export const isBlank = (text: string): boolean => !seen.test(text)

/** Returns whether PostgreSQL stores a text: it has no NUL and no lone surrogate, which is no character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** In code units. Most pictures are addresses. A small one can be included whole as `data:`. */
export const maxPictureLength = 2048

/**
 * An http or https address, a `data:` picture, or an empty text. No other scheme, since a page that links to it would
 * run `javascript:`. No relative path, which would mean another address on every page. No SVG, which can contain a
 * script.
 */
export const picturePattern =
  /^(?:https?:\/\/[^\s"<>\\/?#][^\s"<>\\]*|data:image\/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2})?$/

export const pictureRule = 'an http or https address, or data:image/…;base64 of PNG, JPEG, GIF, WebP or AVIF'

export const isPicture = (text: string): boolean => text.length <= maxPictureLength && picturePattern.test(text)

/**
 * The header with the label that a device gives its session. The client chooses it, so it is text for people and never
 * a proof.
 */
export const labelHeader = 'x-postern-label'

/** In code points. */
export const maxLabelLength = 64

/**
 * Reduces a label to one line without control, format or private characters, and cuts it to the maximum length. Null
 * when nothing is left.
 */
export function cleanLabel(text: string): string | null {
  if (isBlank(text)) return null
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return Array.from(line).slice(0, maxLabelLength).join('').trimEnd() || null
}

/** Encodes a label as ASCII for the header. */
export const encodeLabel = (label: string): string => encodeURIComponent(label.toWellFormed())

/** Decodes a header. A text that was never encoded is taken unchanged. */
export function decodeLabel(header: string): string | null {
  try {
    return cleanLabel(decodeURIComponent(header))
  } catch {
    return cleanLabel(header)
  }
}
