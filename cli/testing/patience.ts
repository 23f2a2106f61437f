import { slack } from '../../server/testing/slack.ts'

/** Milliseconds for whatever is not about time: a busy machine lets a process stand still for seconds. Less than a test has. */
export const patience = 15_000 * slack
