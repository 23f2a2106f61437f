import type { LoggedRequest } from '../state/request-log.ts'

/** ` ×12` of what was asked so often in a row, with the same answer. */
export const timesText = ({ times }: Pick<LoggedRequest, 'times'>): string => (times > 1 ? ` ×${times}` : '')
