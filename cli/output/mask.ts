/** Shown for each character of a secret while it is typed, so that people see that keys arrive. */
export const maskSign = '•'

/** Shows that a secret was typed, without revealing its length. */
export const secretMask = (text: string): string => (text === '' ? '' : maskSign.repeat(8))
