import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNameLookup, orBySystem } from './name-servers.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Name servers of a system, and how often it was asked which they are. As a `Resolver`, what is made keeps them. */
function startSystem(address: string) {
  const system = { address, made: 0 }
  const make = () => {
    system.made += 1
    const { address: known } = system
    const resolve4 = async () => {
      if (known === 'gone') throw Object.assign(new Error('queryA ETIMEOUT'), { code: 'ETIMEOUT' })
      return [known]
    }
    return { resolve4, resolve6: async () => [] } as never
  }
  return { system, lookUp: createNameLookup(make) }
}

it('asks the name servers that the system has by now, within a minute, also after those before are gone', async () => {
  const { system, lookUp } = startSystem('gone')
  await expect(lookUp('a.example')).rejects.toMatchObject({ code: 'ETIMEOUT' })
  system.address = '192.0.2.1'
  vi.advanceTimersByTime(60_000)
  expect(await lookUp('a.example')).toEqual([{ address: '192.0.2.1', family: 4 }])
  system.address = '192.0.2.2'
  vi.advanceTimersByTime(60_000)
  expect(await lookUp('a.example')).toEqual([{ address: '192.0.2.2', family: 4 }])
})

it('asks the system which they are once a minute, and not for localhost', async () => {
  const { system, lookUp } = startSystem('192.0.2.1')
  expect(await lookUp('localhost')).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(system.made).toBe(0)
  for (let second = 0; second < 60; second += 1) {
    await lookUp('a.example')
    vi.advanceTimersByTime(1000)
  }
  expect(system.made).toBe(1)
})

it.each([
  ['ENOTFOUND', 'ENOTFOUND', 'asked'],
  ['ENODATA', 'ENODATA', 'asked'],
  ['ETIMEOUT', 'ETIMEOUT', 'ETIMEOUT'],
  ['ENODATA', 'ETIMEOUT', 'ETIMEOUT'],
])('the system is asked only for a name that was answered: %s and %s', async (ofV4, ofV6, expected) => {
  const refuse = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
  const servers = { resolve4: refuse(ofV4), resolve6: refuse(ofV6) } as never
  const lookUp = orBySystem(
    createNameLookup(() => servers),
    async () => [{ address: 'asked', family: 4 }],
  )
  const found = await lookUp('printer').then(
    ([first]) => first?.address,
    ({ code }: { code: string }) => code,
  )
  expect(found).toBe(expected)
})
