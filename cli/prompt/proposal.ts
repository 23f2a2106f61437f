const removing = '-'

/** What stands behind a question: an empty answer keeps it. */
export const inBrackets = (proposal: string, mayBeEmpty = false): string =>
  `[${proposal}${mayBeEmpty ? `; ${removing} removes it` : ''}]`

export const isRemoval = (answer: string, mayBeEmpty = false): boolean => mayBeEmpty && answer === removing
