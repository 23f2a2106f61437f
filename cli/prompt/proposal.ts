const removing = '-'

/** Shown after a question: an empty answer accepts it. */
export const proposalText = (proposal: string, mayBeEmpty = false): string =>
  `[${proposal}${mayBeEmpty ? `; ${removing} removes it` : ''}]`

export const isRemoval = (answer: string, mayBeEmpty = false): boolean => mayBeEmpty && answer === removing
