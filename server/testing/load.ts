import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadPause } from './rounds.ts'
import { testPassword } from './service.ts'

/** What one request of a load came to. Status 0: there was no answer, and `body` says why. */
export interface Outcome {
  readonly status: number
  readonly body: unknown
  readonly setCookies: readonly string[]
}

export interface Load {
  readonly outcomes: readonly Outcome[]
  /** Lets the requests in flight end. */
  stop(): Promise<void>
}

/** Asks again and again, several at a time with pauses, until it is stopped: it leaves room for what is tested. */
export function startLoad(ask: () => Promise<Outcome>, atOnce: number): Load {
  const outcomes: Outcome[] = []
  let isOver = false
  const loop = async () => {
    while (!isOver) {
      const outcome = await ask()
      outcomes.push(outcome)
      await sleep(outcome.status === 200 ? loadPause : 20)
    }
  }
  const loops = Array.from({ length: atOnce }, loop)
  return {
    outcomes,
    stop: async () => {
      isOver = true
      await Promise.all(loops)
    },
  }
}

const nobody = (error: unknown): Outcome => ({
  status: 0,
  body: String((error as Error).cause ?? error),
  setCookies: [],
})

/** One request to a service that may die under it. */
export async function tell(url: string, init: RequestInit = {}): Promise<Outcome> {
  try {
    const reply = await fetch(url, init)
    const text = await reply.text()
    return {
      status: reply.status,
      body: text === '' ? null : JSON.parse(text),
      setCookies: reply.headers.getSetCookie(),
    }
  } catch (error) {
    return nobody(error)
  }
}

export const postJson = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Signs somebody new up; notes the address when, and only when, the service said yes. */
export async function signUpAt(url: string, acknowledged: string[]): Promise<Outcome> {
  const email = `${randomUUID()}@example.com`
  const outcome = await tell(`${url}/sign-up/email`, postJson({ email, name: 'Ann', password: testPassword }))
  if (outcome.status !== 200) return outcome
  if (emailIn(outcome) !== email) throw new Error(`The sign-up of ${email} was answered to ${emailIn(outcome)}`)
  acknowledged.push(email)
  return outcome
}

const emailIn = ({ body }: Outcome): string | undefined => (body as { user?: { email: string } } | null)?.user?.email

/** Several people who look at their sessions in turn. */
export interface Readers {
  readonly ask: () => Promise<Outcome>
  /** Answers with status 200 that were not the caller's own session: somebody else's, or none. */
  readonly wrong: Outcome[]
}

/** Again, while there is no room for one more hash: what counts is that there is somebody. */
async function signUpInTheEnd(url: string): Promise<Outcome> {
  let outcome = await signUpAt(url, [])
  for (let again = 0; outcome.status === 503 && again < 100; again += 1) {
    await sleep(100)
    outcome = await signUpAt(url, [])
  }
  if (outcome.status !== 200) throw new Error(`A sign-up was answered ${outcome.status}`)
  return outcome
}

export async function signUpReaders(url: string): Promise<Readers> {
  const people = await Promise.all(Array.from({ length: 5 }, () => signUpInTheEnd(url)))
  const wrong: Outcome[] = []
  let turn = 0
  const ask = async () => {
    turn += 1
    const person = people[turn % people.length]!
    const { token } = person.body as { token: string }
    const outcome = await tell(`${url}/get-session`, { headers: { authorization: `Bearer ${token}` } })
    if (outcome.status === 200 && emailIn(outcome) !== emailIn(person)) wrong.push(outcome)
    return outcome
  }
  return { ask, wrong }
}
