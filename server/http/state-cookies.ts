/** Binds what was begun with a provider to the browser that began it: a cookie for each, so that several go on at once. */
export interface StateCookies {
  /** The lines for a new state. Of very many, older ones are given up. */
  readonly bindState: (header: string, state: string) => string[]
  /** Whether a state was begun in this browser. */
  readonly hasState: (header: string, state: string) => boolean
  readonly clearState: (state: string) => string
}

export type StateCookieName = `state.${string}`

/** How our cookies are read and written. */
interface Means {
  /** What the names of all state cookies begin with, security prefix included. */
  readonly start: string
  readonly values: (header: string, name: StateCookieName) => readonly string[]
  readonly signed: (name: StateCookieName, value: string) => string
  readonly verify: (name: StateCookieName, text: string) => string | null
  readonly write: (name: StateCookieName, value: string, maxAge: number | null) => string
}

/** Seconds that a state lives; and how many one browser may have open, so that its headers stay short. */
const stateLife = 600
const maxStates = 8

export const stateCookies = ({ start, values, signed, verify, write }: Means): StateCookies => ({
  bindState(header, state) {
    const others = [...new Set(tagsIn(header, start))].slice(maxStates - 1)
    const name = nameOf(state)
    return [...others.map((tag) => write(`state.${tag}`, '', 0)), write(name, signed(name, state), stateLife)]
  },
  hasState: (header, state) => values(header, nameOf(state)).some((text) => verify(nameOf(state), text) === state),
  clearState: (state) => write(nameOf(state), '', 0),
})

/** A name for each state; of what a caller made up only what a name may hold. */
const nameOf = (state: string): StateCookieName => `state.${state.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 8)}`

const tagsIn = (header: string, start: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(start) ? [pair.slice(start.length, pair.indexOf('='))] : []))
    .filter((tag) => /^[A-Za-z0-9]{1,8}$/.test(tag))
