import { expect, test } from 'vitest'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import type { FlowContext } from './flow-context.ts'
import { addressesIn, severalProblem } from './form-several.ts'
import { cancelInvitation } from './invitation/sent.ts'
import { runEach } from './run-each.ts'
import { runForSeveral } from './run-several.ts'

test('addresses stand between commas, semicolons, spaces and line ends, each once', () => {
  expect(addressesIn(' a@b.co,\nc@d.co;  A@b.co e@f.co,')).toEqual(['A@b.co', 'c@d.co', 'e@f.co'])
  expect(addressesIn(' , ')).toEqual([])
})

test('the malformed ones of several are named', () => {
  expect(severalProblem('a@b.co c@ d')).toBe('Not an e-mail address: c@, d')
  expect(severalProblem('a@b.co c@d.co')).toBeUndefined()
  expect(severalProblem('nobody')).toBeUndefined()
})

const done = { sentence: 'done', status: 'created', resource: {} } as const
const failure = (exitCode: (typeof exitCodes)[keyof typeof exitCodes]) => new CliError(exitCode, 'No', { code: 'NO' })

test('a failure does not keep the others from being tried, unless it concerns all', async () => {
  const asked: string[] = []
  const run = (fails: string, error: CliError) => async (input: string) => {
    asked.push(input)
    if (input === fails) throw error
    return done
  }
  const sentence = (count: string) => `${count} done`
  const some = await runForSeveral(['a', 'b', 'c'], run('a', failure(exitCodes.conflict)), sentence)
  expect(some).toMatchObject({ status: 'created', sentence: '2 of 3 done' })
  expect(some.results).toEqual([{ input: 'a', problem: 'No' }, { input: 'b' }, { input: 'c' }])
  asked.length = 0
  const cut = await runForSeveral(['a', 'b', 'c'], run('b', failure(exitCodes.network)), sentence)
  expect(cut.results?.map(({ problem }) => problem)).toEqual([undefined, 'No', 'not tried: No'])
  expect(asked).toEqual(['a', 'b'])
  await expect(runForSeveral(['a', 'b'], run('a', failure(exitCodes.network)), sentence)).rejects.toThrow('No')
})

test('once it is stopped, no further call begins, and none is told as under way', async () => {
  const begun: number[] = []
  const run = async () => done
  const context = { progress: (at: number) => void begun.push(at), isStopped: () => begun.length > 1 }
  const cut = await runForSeveral(['a', 'b', 'c', 'd'], run, (count) => `${count} done`, context)
  expect(cut.sentence).toBe('2 of 4 done')
  const untried = 'not tried: you stopped it'
  expect(cut.results?.map(({ problem }) => problem)).toEqual([undefined, undefined, untried, untried])
  expect(begun).toEqual([0, 1])
})

test('what became of each is told by its name, not by its id', async () => {
  const refuse = async ({ invitationId }: { invitationId: string }) => {
    if (invitationId === 'b1') throw failure(exitCodes.conflict)
  }
  const context = { signedIn: async () => ({ api: { invitation: { cancelInvitation: refuse } } }), progress: () => {} }
  const subjects = ['a', 'b'].map((name) => ({ invitation: { id: `${name}1`, email: `${name}@example.com` } }))
  const done = await runEach(cancelInvitation, context as unknown as FlowContext, {
    subjects,
    values: {},
    view: undefined,
  })
  expect(done.results).toEqual([{ input: 'a@example.com' }, { input: 'b@example.com', problem: 'No' }])
})
