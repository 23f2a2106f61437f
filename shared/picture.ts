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
