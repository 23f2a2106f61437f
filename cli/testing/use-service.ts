import { afterAll, beforeAll, beforeEach } from 'vitest'
import { useStarted } from '../../server/testing/use-service.ts'
import { type AnsweringService, type Answers, startAnswers, usual } from './answers.ts'
import { type OwnService, startOwnService, type TestPerson } from './own-service.ts'
import { createRunner, type Runner, type RunOptions } from './run-cli.ts'

/** A whole service of the test file's own. Its members are there once hooks and tests run. */
export const useOwnService = (...given: Parameters<typeof startOwnService>): OwnService =>
  useStarted(() => startOwnService(...given))

/** Somebody with a verified address, signed in at that service before all tests. */
export function usePerson(own: OwnService, name: string): TestPerson {
  let person: TestPerson
  beforeAll(async () => {
    person = await own.person(name)
  })
  return standIn(() => person)
}

/** A service with the organization Acme: Ann owns it, and Ben has this role in it. */
export function useAcme(role: 'admin' | 'member') {
  const service = useOwnService()
  const ann = usePerson(service, 'Ann')
  const ben = usePerson(service, 'Ben')
  beforeAll(async () => {
    await ann('org create Acme --slug acme')
    await ann(`invitation create ben@example.com --role ${role}`)
    await ben('invitation accept acme')
  })
  return { service, ann, ben }
}

/**
 * An answering service of the test file's own and the command line of a new machine for each test. Before each test it
 * answers as ever and forgets what it was asked.
 */
export function useAnswers(options: RunOptions = {}, answers: () => Answers = usual) {
  const service = {} as AnsweringService
  let machine: Runner
  beforeAll(async () => {
    Object.assign(service, await startAnswers(answers()))
  })
  afterAll(() => service.close())
  beforeEach(() => {
    Object.assign(service.answers, answers())
    service.forget()
    machine = createRunner({ ...options, env: { POSTERN_URL: service.url, ...options.env } })
  })
  return { service, postern: standIn(() => machine) }
}

/** For a constant in a test file: whichever runner there is when it is used. */
const standIn = <R extends Runner>(current: () => R): R =>
  new Proxy((() => {}) as unknown as R, {
    apply: (_, __, given: Parameters<Runner>) => current()(...given),
    get: (_, name) => Reflect.get(current(), name),
  })
