/** The kinds of own fields, as they are told to clients. The config file has a list of texts in place of `choice`. */
export const ownFieldKinds = ['text', 'number', 'flag', 'date', 'choice'] as const
export type OwnFieldKind = (typeof ownFieldKinds)[number]

export const maxOwnText = 1000

/** A number as a text, which the command line and forms send. */
export const numberText = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** What a value of each kind looks like, for people. */
export const expectedOf = {
  text: `at most ${maxOwnText} characters`,
  number: 'a number',
  flag: 'true or false',
  date: 'a date, like 2026-01-31 or 2026-01-31T12:00:00Z',
} as const
