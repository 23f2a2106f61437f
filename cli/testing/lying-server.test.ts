import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { inTurn } from '../../server/testing/rounds.ts'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import type { CommandNode } from '../argv/tree.ts'
import { flattenTree } from '../argv/tree.ts'
import { type Step, startWorld, story, type World, withoutStep } from './every-command.ts'
import { lies } from './lies.ts'
import { contractCall, type Exchange, filesIn, keepFolder, recorder, replay } from './recording.ts'
import type { Finished } from './run-cli.ts'

// Two thousand runs, or a ninth of them.
vi.setConfig({ testTimeout: 1_200_000 * slack })

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.own.stop())

/** A run that leaves nothing behind on the way to the service. */
async function runAlone(step: Step, argv: readonly string[], stdin: string | undefined): Promise<Finished> {
  const ending = new AbortController()
  const open = await world.own.connections()
  const done = await world.machines[step.who](argv, { signal: ending.signal, ...(stdin !== undefined && { stdin }) })
  ending.abort()
  await expect.poll(() => world.own.connections(), { interval: 1 }).toBeLessThanOrEqual(open)
  return done
}

async function prepared(step: Step) {
  const { folder } = world.machines[step.who]
  const words: Readonly<Record<string, string>> = {
    ...(await step.words?.(world)),
    PASSWORD: join(folder, 'password'),
    NEW: join(folder, 'new'),
    DOCUMENT: join(folder, 'document'),
  }
  const stdin = typeof step.stdin === 'function' ? await step.stdin(world) : step.stdin
  const argv = [...step.line.split(' ').map((word) => words[word] ?? word), '--json']
  return { folder, run: () => runAlone(step, argv, stdin) }
}

/** A body that the contract allows is no lie that anybody could see, unless it contradicts the question. */
async function isPossible(call: string, lie: string, answer: Response): Promise<boolean> {
  if (lie === 'somebody else' || lie === 'that it was not done') return false
  const { output } = (await contractCall(call)) ?? {}
  const text = await answer.clone().text()
  try {
    return output?.safeParse(JSON.parse(text)).success === true
  } catch {
    return false
  }
}

const showsResult: ReadonlySet<number> = new Set([exitCodes.done, exitCodes.partial, exitCodes.problemFound])

interface LiedTo {
  readonly step: Step
  readonly exchange: Exchange
  /** What was answered before. */
  readonly earlier: readonly Exchange[]
  readonly done: Finished
  /** The files of the machine are as they were. */
  readonly isUntouched: boolean
}

/** What is wrong with a command that was lied to. */
const faultsOf = ({ step, exchange, earlier, done: { code, stdout, stderr }, isUntouched }: LiedTo) => {
  const mayTouch = step.endsHere || code === 0 || earlier.some(({ headers }) => headers.has('set-cookie'))
  const hasChanged = code === exitCodes.server && earlier.some(({ isReading }) => !isReading)
  return {
    [`ends with ${code}`]: code !== exitCodes.server && !step.whenLied?.[exchange.call]?.includes(code),
    prints: stdout !== '' && !showsResult.has(code),
    'keeps something': !isUntouched && !mayTouch,
    'hides what it has done': hasChanged && !stderr.includes('Already done: '),
  }
}

const namesOf = (faults: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(faults).flatMap(([name, isSo]) => (isSo ? [name] : []))

/** Runs it honestly, and then with each lie about each answer. */
async function* liesAbout(step: Step, place: number) {
  const copies = temporaryFolder('copies')
  const { folder, run } = await prepared(step)
  const { relay, exchanges } = recorder()
  const before = keepFolder(folder, join(copies, 'before'))
  world.own.relayBy(relay)
  yield [step.line, ...namesOf({ 'does not succeed': (await run()).code !== (step.code ?? 0) })]
  const after = keepFolder(folder, join(copies, 'after'))
  const kept = filesIn(join(copies, 'before'))
  for (const [at, exchange] of exchanges.entries())
    for (const [name, lie] of inTurn(inTurn(Object.entries(lies), place + at), at)) {
      const answer = lie(exchange)
      if (!answer) continue
      before.putBack()
      world.own.relayBy(replay(exchanges, (one) => (one === exchange ? answer.clone() : undefined)))
      const done = await run()
      const isUntouched = isDeepStrictEqual(filesIn(folder), kept)
      const faults = (await isPossible(exchange.call, name, answer))
        ? { crashes: done.code === exitCodes.failure }
        : faultsOf({ step, exchange, earlier: exchanges.slice(0, at), done, isUntouched })
      yield [`${step.line}, when ${exchange.call} answers ${name}`, ...namesOf(faults)]
    }
  after.putBack()
  world.own.relayBy((_call, _request, ask) => ask())
}

it('no lie of the server about one answer makes a command succeed, crash, print, or keep anything', async () => {
  const runs: (readonly string[])[] = []
  const faulty = () => runs.filter(([, ...faults]) => faults.length > 0)
  for (const step of story) {
    // What a step needs is missing if an earlier one failed.
    expect(faulty()).toEqual([])
    for await (const run of liesAbout(step, runs.length)) runs.push(run)
  }
  expect(faulty()).toEqual([])
  expect(runs.length).toBeGreaterThan(200)
})

it('knows every command', async () => {
  const tree = (await world.machines.ann('commands --json')).json as CommandNode
  const paths = flattenTree(tree)
    .filter(({ commands, path }) => commands.length === 0 || path === 'postern api')
    .map(({ path }) => path.replace('postern ', ''))
  const isTried = (path: string) => story.some(({ line }) => line === path || line.startsWith(`${path} `))
  expect(paths.filter((path) => !isTried(path)).toSorted()).toEqual(withoutStep.toSorted())
})
