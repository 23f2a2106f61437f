/**
 * `waiting`: to be sent. `failing`: tried in vain, and tried again. `parked`: given up. `held`: the database is a copy,
 * and the original sends it. `unsent`: kept for reading, as without a mail server.
 */
export const mailStates = ['waiting', 'failing', 'parked', 'held', 'unsent'] as const
