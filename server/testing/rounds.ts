import { slack } from './slack.ts'

/** How often is done what comes out by chance: a few times by default, many times where the environment says so. */
const count = (name: string, usual: number): number => Number(process.env[name] ?? usual)

/** Of a race of two. */
export const rounds = count('RACE_ROUNDS', 3)
/** Of a race of twenty requests, which is as good as several of two. */
export const fewRounds = Math.ceil(rounds / 10)
/** Time for what is done so often, on a busy machine: each is given seconds, of which it takes a part. */
export const timeFor = (times: number, each = 2): { readonly timeout: number } => ({
  timeout: (20_000 + times * each * 1000) * slack,
})
/** Of a race of that many rounds. */
export const enough = timeFor(rounds)

/** Of a process that dies in the middle of its work. */
export const kills = count('KILL_ROUNDS', 1)
/** Of replacing each instance behind a proxy. */
export const replacements = count('DEPLOY_ROUNDS', 1)
/** Of services that bring the tables up to date all at once. */
export const migrations = count('MIGRATION_ROUNDS', 1)
/** Of inputs made up for each call. */
export const fuzzRuns = count('FUZZ_RUNS', 4)
/** Of sequences of calls whose outcome a model of the rules foretells. */
export const modelRuns = count('MODEL_RUNS', 10)
/** Of each kind of token. */
export const mutations = count('MUTATIONS', 20)
/** Users among whom an index has to be worth it. */
export const listedUsers = count('LISTED_USERS', 5_000)
/** Of each storm around people who must get nothing but their own; 0: until each fault was struck once. */
export const stormSeconds = count('IDENTITY_SECONDS', 0) / 2

const isWhole = process.env.WHOLE_TABLES === 'on'
/** Which sixth of the system tests in turns and which third of the tables' rows a run does: 0 to 5. */
export const turn = process.env.TEST_TURN
export const turns = 6
/**
 * Rows of a table that asks the same of each provider, field, role, call or window size: every third, the next place
 * other ones; or all.
 */
export const inTurn = <T>(rows: readonly T[], place = 0): readonly T[] =>
  isWhole ? rows : rows.filter((_, row) => (row + place + Number(turn ?? 0)) % 3 === 0)

/** Expired rows that are swept. */
export const sweptRows = count('SWEPT_ROWS', 10_000)
/** A million goes in less than ten minutes, without the rests between the rounds. */
export const enoughToSweep = timeFor(sweptRows, 0.0006)

/** Of each fault that a highly available cluster has to survive. */
export const highAvailabilityRounds = count('HA_ROUNDS', 17)
/** Events of a trail that is read on in the terminal UI, and how often it is paged through then. */
export const trailEvents = count('TRAIL_EVENTS', 500)
export const trailRounds = count('TRAIL_ROUNDS', 1)
/** That better-auth has before they are moved in; it takes a good part of a second for each password. */
export const movedUsers = count('MOVED_USERS', 8)
/** Megabytes of a line that nobody could hold. */
export const longLine = count('LINE_MEGABYTES', 120)
export const movedOrganizations = count('MOVED_ORGANIZATIONS', 4)
/** Milliseconds between two requests of a client that keeps a service busy. */
export const loadPause = count('LOAD_PAUSE', 20)
/** At limits that several services share. */
export const limitTries = count('LIMIT_TRIES', 10_000)
/** While one release replaces another. */
export const upgradeRequests = count('UPGRADE_REQUESTS', 400)
/** Of a session's end and its use, at services that read lists from a late replica. */
export const revokeRaces = count('REVOKE_RACES', 200)
