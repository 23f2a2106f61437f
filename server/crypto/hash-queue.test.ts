import { describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { createHashQueue, hashLimitsOf, usualHashQueue } from './hash-queue.ts'

/** Jobs that end when the test says so. `started` records their order. */
function createJobs(limits: Parameters<typeof createHashQueue>[0]) {
  const queue = createHashQueue(limits)
  const started: string[] = []
  const ends = new Map<string, (value: string) => void>()
  const start = (name: string, network?: string) => {
    const result = queue.run(() => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, resolve))
    }, network)
    result.catch(() => undefined)
    return result
  }
  const end = async (name: string) => {
    ends.get(name)?.(name)
    await settle()
  }
  return { start, end, started, queue }
}

const settle = () => new Promise(setImmediate)
const patient = 60_000
const busy = { failure: 'SERVICE_UNAVAILABLE', retryAfter: 2 }

describe('the queue of password hashes', () => {
  it('runs two at once, the others in the order in which they came', async () => {
    const { start, end, started } = createJobs({ running: 2, waiting: 64, timeout: patient })
    for (const name of 'abcde') void start(name)
    await settle()
    expect(started).toEqual(['a', 'b'])
    await end('b')
    expect(started).toEqual(['a', 'b', 'c'])
    await end('c')
    await end('a')
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('refuses at once what does not fit, with a time to come back', async () => {
    const { start, end, started } = createJobs({ running: 2, waiting: 3, timeout: patient })
    const fitting = ['a', 'b', 'c', 'd', 'e'].map((name) => start(name))
    await expect(start('f')).rejects.toMatchObject(busy)
    await end('a')
    const late = start('g')
    await expect(start('h')).rejects.toMatchObject(busy)
    for (const name of 'bcdeg') await end(name)
    expect(await Promise.all([...fitting, late])).toEqual(['a', 'b', 'c', 'd', 'e', 'g'])
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'g'])
  })

  it('refuses what waited in vain, and never runs it', async () => {
    const { start, end, started } = createJobs({ running: 1, waiting: 8, timeout: 20 })
    const first = start('a')
    await expect(start('b')).rejects.toMatchObject(busy)
    await end('a')
    expect(await first).toBe('a')
    void start('c')
    await settle()
    expect(started).toEqual(['a', 'c'])
  })

  it('holds the permit until the job ends, also when nobody waits for its result any more', async () => {
    const { start, end, started } = createJobs({ running: 1, waiting: 8, timeout: patient })
    const abandoned = Promise.race([start('a'), Promise.reject(new Error('left'))])
    await expect(abandoned).rejects.toThrow('left')
    void start('b')
    await settle()
    expect(started).toEqual(['a'])
    await end('a')
    expect(started).toEqual(['a', 'b'])
  })

  it('gives the permit back when a job fails, in either way', async () => {
    const queue = createHashQueue({ running: 1, waiting: 8, timeout: patient })
    await expect(queue.run(() => Promise.reject(new Error('late')))).rejects.toThrow('late')
    const throwing = (): Promise<never> => {
      throw new Error('early')
    }
    await expect(queue.run(throwing)).rejects.toThrow('early')
    expect(await queue.run(() => Promise.resolve('alive'))).toBe('alive')
  })
})

describe('what precedes a hash', () => {
  const prepared: string[] = []
  const note = (name: string) => () => {
    prepared.push(name)
    return Promise.resolve(name)
  }

  it('is not even begun when the hash would find no place', async () => {
    const { start, end, queue } = createJobs({ running: 1, waiting: 1, timeout: patient })
    void start('a')
    expect(await queue.prepare(note('b'))).toBe('b')
    void start('b')
    await expect(queue.prepare(note('c'))).rejects.toMatchObject(busy)
    expect([prepared, queue.refused]).toEqual([['b'], 1])
    await end('a')
    expect(await queue.prepare(note('d'))).toBe('d')
  })

  it('is done for as many at once as there are places, also when the database is slow or fails', async () => {
    const { start, queue } = createJobs({ running: 1, waiting: 2, timeout: patient })
    const fails: (() => void)[] = []
    const slow = () => queue.prepare(() => new Promise((_, reject) => fails.push(() => reject(new Error('down')))))
    void start('a')
    const both = [slow(), slow()]
    await expect(slow()).rejects.toMatchObject(busy)
    for (const fail of fails) fail()
    for (const one of both) await expect(one).rejects.toThrow('down')
    expect(await queue.prepare(() => Promise.resolve('up'))).toBe('up')
  })

  it('takes no more places for one network than its hashes may', async () => {
    const { start, end, queue } = createJobs({ running: 1, waiting: 8, timeout: patient })
    const ends: (() => void)[] = []
    const slow = () => queue.prepare(() => new Promise<void>((resolve) => ends.push(resolve)), 'flood')
    const isRefused = () => expect(queue.prepare(note('d'), 'flood')).rejects.toMatchObject(busy)
    const all = [slow()]
    void start('a', 'flood')
    all.push(slow())
    await isRefused()
    await end('a')
    all.push(slow())
    await isRefused()
    for (const each of ends) each()
    await Promise.all(all)
    expect(await queue.prepare(note('e'), 'flood')).toBe('e')
    for (const name of 'abc') void start(name, 'flood')
    await isRefused()
    expect(await queue.prepare(note('x'), 'one')).toBe('x')
  })

  it('is done for networks that would be given the place of a busier one, at most for all places at once', async () => {
    const { start, queue } = createJobs({ running: 1, waiting: 8, timeout: patient })
    const slow = (network: string) => queue.prepare(() => new Promise(() => undefined), network)
    for (const name of 'abc') void start(name, 'flood')
    for (const name of 'mnopqr') void start(name)
    void slow('1')
    await expect(slow('1')).rejects.toMatchObject(busy)
    for (const network of '2345678') void slow(network)
    expect(await queue.prepare(note('x'), '9')).toBe('x')
    void slow('9')
    await expect(slow('0')).rejects.toMatchObject(busy)
  })
})

describe('networks that hash at the same time', () => {
  const each = (names: string, network?: string) => Array.from(names, (name) => [name, network] as const)

  it('take turns, however many one of them has sent before', async () => {
    const { start, end, started } = createJobs({ running: 1, waiting: 64, timeout: patient })
    for (const [name, network] of [...each('abcde', 'flood'), ...each('xy', 'one'), ...each('z', 'two')])
      void start(name, network)
    await settle()
    for (const name of 'abxzcyd') await end(name)
    expect(started.join('')).toBe('abxzcyde')
  })

  it('have a quarter of the places each; programs of the own machine have any that is free', async () => {
    const { start, end, started } = createJobs({ running: 1, waiting: 8, timeout: patient })
    const flood = each('abcdef', 'flood').map(([name, network]) => start(name, network))
    for (const refused of flood.slice(3)) await expect(refused).rejects.toMatchObject(busy)
    for (const [name, network] of [...each('x', 'one'), ...each('mnopq')]) void start(name, network)
    await expect(start('r')).rejects.toMatchObject(busy)
    await settle()
    for (const name of 'abxmcnopq') await end(name)
    expect(started.join('')).toBe('abxmcnopq')
  })

  it('have their places back when they gave up waiting', async () => {
    const { start, end, started } = createJobs({ running: 1, waiting: 3, timeout: 20 })
    void start('a', 'flood')
    await expect(start('b', 'flood')).rejects.toMatchObject(busy)
    const again = start('c', 'flood')
    await end('a')
    await end('c')
    expect([await again, started.join('')]).toEqual(['c', 'ac'])
  })
})

it('is as long and as patient as the settings say', () => {
  const usual = hashLimitsOf(parseConfig({}))
  expect([usual.waiting, usual.timeout]).toEqual([32 * usual.running, 2000])
  const longer = hashLimitsOf(parseConfig({ PASSWORD_QUEUE: '100', PASSWORD_QUEUE_TIMEOUT: '8s' }))
  expect([longer.waiting, longer.timeout]).toEqual([100 * longer.running, 8000])
})

it.each([
  { cores: 1, processes: 1, running: 1 },
  { cores: 2, processes: 1, running: 2 },
  { cores: 8, processes: 1, running: 3 },
  { cores: 8, processes: 2, running: 6 },
  { cores: 8, processes: 8, running: 8 },
])('runs $running at once on $cores cores in $processes processes', ({ cores, processes, running }) => {
  expect(hashLimitsOf(usualHashQueue, processes, cores).running).toBe(running)
})
