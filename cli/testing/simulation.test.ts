import { expect, it } from 'vitest'
import { createRandom, findCapacity, type Kind, simulate } from '../../server/bench/simulation.ts'

const read: Kind = { service: 1, database: 0.5, share: 1 }
const rateOf = (layout: Parameters<typeof findCapacity>[0], kinds: readonly Kind[] = [read]) =>
  findCapacity(layout, kinds).rate

it('gives the same figures in each run', () => {
  const random = createRandom(1)
  expect([random(), random()]).toEqual([0.6270739405881613, 0.002735721180215478])
  expect(findCapacity({ serviceCores: 4, databaseCores: 4 }, [read])).toEqual(
    findCapacity({ serviceCores: 4, databaseCores: 4 }, [read]),
  )
})

it('uses a core for seven tenths of the time', () => {
  // One core with work of a millisecond each does a thousand a second at most.
  expect(rateOf({ serviceCores: 1, databaseCores: 4 })).toBeGreaterThan(650)
  expect(rateOf({ serviceCores: 1, databaseCores: 4 })).toBeLessThan(750)
})

it('grows with the cores of the busiest part, and not with others', () => {
  const [one, four] = [rateOf({ serviceCores: 1, databaseCores: 4 }), rateOf({ serviceCores: 4, databaseCores: 4 })]
  expect(four / one).toBeGreaterThan(3.5)
  expect(rateOf({ serviceCores: 64, databaseCores: 4 }) / rateOf({ serviceCores: 32, databaseCores: 4 })).toBeCloseTo(
    1,
    1,
  )
})

it('takes from the primary only what a replica may answer', () => {
  const [alone, beside] = [
    { serviceCores: 64, databaseCores: 4 },
    { serviceCores: 64, databaseCores: 4, replicaCores: 4 },
  ]
  expect(rateOf(beside) / rateOf(alone)).toBeCloseTo(1, 1)
  const kinds = [
    { ...read, share: 0.5 },
    { ...read, share: 0.5, isReplicable: true },
  ]
  expect(rateOf(beside, kinds) / rateOf(alone, kinds)).toBeGreaterThan(1.7)
})

it('lets the largest cell set the limit', () => {
  const factor = rateOf({ serviceCores: 4, databaseCores: 4, cells: 4 }) / rateOf({ serviceCores: 4, databaseCores: 4 })
  expect(factor).toBeGreaterThan(3)
  expect(factor).toBeLessThan(4.2)
})

it('lets requests wait where more come than are served', () => {
  const layout = { serviceCores: 1, databaseCores: 4 }
  expect(simulate(layout, [read], 500).wait).toBeLessThan(20)
  expect(simulate(layout, [read], 2000).wait).toBeGreaterThan(500)
})
