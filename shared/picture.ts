/** Longest in code units: most pictures are addresses; a small one may stand there itself. */
export const longestPicture = 2048

/**
 * An http or https address, or a picture itself, or nothing. No other scheme: a page that shows it, or leads there, would
 * run `javascript:`. No relative path: every reader would take it for another address. No SVG, which may hold a script.
 */
export const picturePattern =
  /^(?:https?:\/\/[^\s"<>\\/?#][^\s"<>\\]*|data:image\/(?:png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2})?$/

export const pictureRule = 'an http or https address, or data:image/…;base64 of PNG, JPEG, GIF, WebP or AVIF'

export const isPicture = (text: string): boolean => text.length <= longestPicture && picturePattern.test(text)
