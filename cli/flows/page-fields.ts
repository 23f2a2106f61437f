const numberProblem = (text: string, name: string): string | undefined =>
  text === '' || /^\d{1,9}$/.test(text) ? undefined : `${name} is a number`

const limitProblem = (text: string, name: string): string | undefined =>
  text === '' || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100)
    ? undefined
    : `${name} is a number from 1 to 100`

/** Options for lists that can be too long for one page. */
export const limitField = {
  kind: 'text',
  label: 'At most',
  flag: '--limit <n>',
  summary: 'how many to show, up to 100 (100)',
  isOptional: true,
  onlyInCommands: true,
  check: limitProblem,
} as const

export const offsetField = {
  kind: 'text',
  label: 'From',
  flag: '--offset <n>',
  summary: 'how many to skip',
  isOptional: true,
  onlyInCommands: true,
  check: numberProblem,
} as const

export const allPagesField = {
  kind: 'toggle',
  label: 'All pages',
  flag: '--all-pages',
  summary: 'all of them, however many there are',
  onlyInCommands: true,
} as const
