import { visible } from '../../output/filter.ts'

/** Longest text, in characters: terminals drop larger clipboard sequences. */
const maxLength = 8192

/** OSC 52: the terminal puts the text on the clipboard. Only text that a person could read is put there. */
export const clipboardSequence = (text: string): string =>
  `\u001b]52;c;${Buffer.from(visible(text).slice(0, maxLength)).toString('base64')}\u0007`
