/** Stands for each character of a secret while it is typed, so that a person sees that keys arrive. */
export const maskSign = '•'

/** A secret that was typed: that there is one, and not how long it is. */
export const doneMask = (text: string): string => (text === '' ? '' : maskSign.repeat(8))
