import type { FailureName } from '../../shared/errors.ts'
import type { Sql } from '../db/connect.ts'
import { untilWaiting } from './locks.ts'
import { verifiedPerson } from './mailed.ts'
import { type Founded, found, type Insider } from './organizations.ts'
import { disproveAddress } from './prove-address.ts'
import type { TestService } from './service.ts'
import type { Reply } from './visitor.ts'

/** How each listed failure of some calls is reached. */
export type Ways = Record<string, Partial<Record<FailureName, () => Promise<Reply>>>>
type Step = (tx: Sql) => PromiseLike<unknown>
/** Asks as a new member with a role, who has the organization active. */
type Ask = (person: Insider, acme: Founded) => Promise<Reply>

export type Askers = ReturnType<typeof createAskers>

export const path = (call: string) => `/organization/${call}`
export const someone = () => `bob-${crypto.randomUUID()}@example.com`

/** Who may ask something of an organization: insiders, outsiders, the invited, and whoever has to wait meanwhile. */
export function createAskers(service: () => TestService) {
  const siblings = new Map<string, Promise<TestService>>()
  /** One for all who want the same, and with one connection: all services of two test files share a hundred. */
  const withSettings = (settings: Record<string, string>) => {
    const key = JSON.stringify(settings)
    const sibling = siblings.get(key) ?? service().sibling({ ...settings, DATABASE_POOL: '1' })
    siblings.set(key, sibling)
    return sibling
  }
  const as = async (role: string, ask: Ask) => {
    const acme = await found(service())
    return ask(role === 'owner' ? acme.owner : await acme.join(role), acme)
  }
  const alone = async (ask: (person: Insider) => Promise<Reply>) =>
    ask((await service().person()) as unknown as Insider)
  /** Somebody who is in no organization, and one that is not theirs. */
  const outside = async (ask: Ask) =>
    ask((await verifiedPerson(service())) as unknown as Insider, await found(service()))
  /** The one who is invited, and the invitation's id. */
  const invited = async (ask: (id: string, person: Insider, acme: Founded) => Promise<Reply>) => {
    const [acme, person] = [await found(service()), await verifiedPerson(service())]
    return ask(await acme.invite(person.email), person as unknown as Insider, acme)
  }
  const unverified = (ask: (id: string, person: Insider) => Promise<Reply>) =>
    invited(async (id, person) => {
      await disproveAddress(service().deps.sql, person.email)
      return ask(id, person)
    })
  const ofSomebodyElse = (ask: (id: string, person: Insider) => Promise<Reply>) =>
    invited(async (id) => ask(id, (await verifiedPerson(service())) as unknown as Insider))
  /** Something that happens while a request waits for a lock. */
  const meanwhile = async (lock: Step, ask: () => Promise<Reply>, then: Step) => {
    let asked: Promise<Reply> | undefined
    await service().deps.sql.begin(async (tx) => {
      await lock(tx as unknown as Sql)
      asked = ask()
      await untilWaiting(service())
      await then(tx as unknown as Sql)
    })
    return (await asked) as Reply
  }
  return { service, withSettings, as, alone, outside, invited, unverified, ofSomebodyElse, meanwhile }
}
