import { expect, test } from 'vitest'
import type { OrganizationView } from '../../flows/org/view.ts'
import { type AppState, startState } from './app-state.ts'
import { isFresh, keepOrganizationRead, keptOrganization } from './kept-organizations.ts'
import type { ScreenStates } from './shell-state.ts'

const view = (name: string) => ({ organization: { id: 'o', name } }) as OrganizationView
const at = (revision: number): AppState => ({ ...startState, revision })

/** Reads of one organization that the test answers by hand. */
function start() {
  const places: ScreenStates = new Map()
  const read = (state: AppState) => {
    const ends: { answer?: (view: OrganizationView) => void; fail?: (error: Error) => void } = {}
    const promise = new Promise<OrganizationView>((answer, fail) => Object.assign(ends, { answer, fail }))
    const { news } = keepOrganizationRead(places, state, { id: 'o', read: promise })
    return { promise: news, ...ends }
  }
  return { read, last: () => keptOrganization(places, 'o') }
}

test('who asks while it is read waits for the same answer, which is kept until something changes', async () => {
  const { read, last } = start()
  const { answer, promise } = read(at(1))
  expect(isFresh(last(), at(1)) && last()?.news).toBe(promise)
  answer?.(view('Acme'))
  await promise
  expect(last()).toMatchObject({ view: view('Acme'), news: undefined })
  expect([isFresh(last(), at(1)), isFresh(last(), at(2)), isFresh(last(), { ...at(1), beat: 1 })]).toEqual([
    true,
    false,
    false,
  ])
})

test('what could not be read is asked for again, and what was known before stays', async () => {
  const { read, last } = start()
  const first = read(at(1))
  first.answer?.(view('Acme'))
  await first.promise
  const second = read(at(1))
  second.fail?.(new Error('no answer'))
  await second.promise.catch(() => undefined)
  expect([last()?.view, isFresh(last(), at(1))]).toEqual([view('Acme'), false])
})

test('an answer that comes after that of a later question is not kept', async () => {
  const { read, last } = start()
  const [early, late] = [read(at(1)), read(at(2))]
  late.answer?.(view('New'))
  early.answer?.(view('Old'))
  await Promise.all([early.promise, late.promise])
  expect(last()?.view).toEqual(view('New'))
})

test('an answer without anything new is the same object as before', async () => {
  const { read, last } = start()
  const first = read(at(1))
  first.answer?.(view('Acme'))
  const acme = await first.promise
  const [same, other] = [read(at(2)), read(at(3))]
  same.answer?.(view('Acme'))
  expect(await same.promise).toBe(acme)
  other.answer?.(view('Acme Works'))
  expect(await other.promise).toEqual(view('Acme Works'))
  expect(last()?.view).toEqual(view('Acme Works'))
})
