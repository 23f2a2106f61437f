import { setTimeout as sleep } from 'node:timers/promises'
import { testPassword } from './service.ts'
import { cookieHeader, keepCookie } from './visitor.ts'

/** What was answered to the wrong one, or told wrongly; a run without any of it is a good one. */
type Wrong = { readonly who: string; readonly asked: string; readonly got: string }

/** Somebody who knows what every answer to them has to say. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly slug: string
  readonly cookies: Map<string, string>
  id: string
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly body: ReturnType<typeof JSON.parse>
  readonly setCookies: readonly string[]
}

/** One request over HTTP, with the person's cookies; keeps what comes back, as a browser would. */
export async function send(
  url: string,
  { cookies }: Pick<Person, 'cookies'>,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers: Record<string, string> = cookies.size > 0 ? { cookie: cookieHeader(cookies) } : {}
  const init = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  }
  const reply = await fetch(`${url}${path}`, init ?? { headers })
  const text = await reply.text()
  const setCookies = reply.headers.getSetCookie()
  for (const line of setCookies) keepCookie(cookies, line)
  return { status: reply.status, text, body: text === '' ? null : JSON.parse(text), setCookies }
}

/** A new person with an organization of their own, made over a way without faults. */
export async function settle(url: string, name: string): Promise<Person> {
  const person = {
    name,
    email: `${name}@example.com`,
    slug: `${name}-home`,
    cookies: new Map<string, string>(),
    id: '',
  }
  const { body } = await send(url, person, '/sign-up/email', { email: person.email, name, password: testPassword })
  person.id = body.user.id
  await send(url, person, '/organization/create', { name: `Home of ${name}`, slug: person.slug })
  return person
}

type Ask = (url: string, person: Person) => Promise<{ asked: string; answer: Answer; isOwn: boolean }>

/** `isOwn` looks into an answer of 200; a `body` makes it a POST. */
const ask = async (
  [url, person]: [string, Person],
  path: string,
  isOwn: (body: Answer['body']) => boolean,
  body?: object,
) => {
  const answer = await send(url, person, path, body)
  return { asked: path, answer, isOwn: answer.status === 200 && isOwn(answer.body) }
}

/** What people do all day; each knows what of the answer has to be their own. */
const asks: readonly Ask[] = [
  (url, person) => ask([url, person], '/get-session', (body) => isSelf(body, person)),
  (url, person) => ask([url, person], '/get-session?disableRefresh=true', (body) => isSelf(body, person)),
  (url, person) =>
    ask(
      [url, person],
      '/list-sessions',
      (rows) => rows.length > 0 && rows.every((row: { userId: string }) => row.userId === person.id),
    ),
  (url, person) =>
    ask([url, person], '/organization/list', (rows) => rows.length === 1 && rows[0].slug === person.slug),
  (url, person) => ask([url, person], '/organization/get-active-member', (member) => member.userId === person.id),
  (url, person) =>
    ask(
      [url, person],
      '/organization/get-full-organization',
      (body) => body.slug === person.slug && body.members[0].userId === person.id,
    ),
  (url, person) =>
    ask([url, person], '/update-user', ({ status }) => status === true, {
      image: `https://example.com/${person.name}.png`,
    }),
  signInAgain,
]

const isSelf = (body: Answer['body'], { id, email }: Person): boolean =>
  body?.user?.id === id && body.user.email === email && body.session.userId === id

/** As from another machine, and out again; the session at home is left alone. */
async function signInAgain(url: string, person: Person) {
  const away = { ...person, cookies: new Map<string, string>() }
  const { asked, answer, isOwn } = await ask([url, away], '/sign-in/email', ({ user }) => user.id === person.id, {
    email: person.email,
    password: testPassword,
  })
  if (isOwn) await send(url, away, '/sign-out', {})
  return { asked, answer, isOwn }
}

export interface Crowd {
  /** Answers that were the asker's own. */
  readonly own: () => number
  /** Requests that were refused with 503. */
  readonly refused: () => number
  readonly wrong: readonly Wrong[]
  stop(): Promise<void>
}

/** Everybody asks one thing after the other, until stopped; every answer is looked into. */
export function startCrowd(url: string, people: readonly Person[]): Crowd {
  const counts = { own: 0, refused: 0 }
  const wrong: Wrong[] = []
  let isOver = false
  const live = async (person: Person, index: number) => {
    for (let turn = index; !isOver; turn += 1) {
      const kept = cookieHeader(person.cookies)
      const { asked, answer, isOwn } = await asks[turn % asks.length]!(url, person)
      if (isOwn) counts.own += 1
      else if (answer.status === 503) counts.refused += 1
      else wrong.push({ who: person.name, asked, got: `${answer.status} ${answer.text.slice(0, 300)}` })
      // A session that lives is signed out by nobody.
      if (cookieHeader(person.cookies) !== kept && person.cookies.size === 0)
        wrong.push({ who: person.name, asked, got: `lost ${answer.setCookies.join()}` })
      if (!isOwn) await sleep(2)
    }
  }
  const lives = people.map(live)
  return {
    own: () => counts.own,
    refused: () => counts.refused,
    wrong,
    stop: async () => {
      isOver = true
      await Promise.all(lives)
    },
  }
}
